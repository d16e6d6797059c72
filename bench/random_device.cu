/* Launches programs of a library that random_device.py compiled, for compute-sanitizer: each tensor
 * in an allocation of its own, as large as it is.  Usage: memory LIBRARY, with a line a program on
 * standard input: number, bytes of workspace, size left to run time, inputs, outputs, and of each
 * of these its bytes and type.  Prints `ran NUMBER` for each that ran; status 1 at an error. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

typedef int (*launch)(void *const *, void *const *, void *, cudaStream_t);
typedef int (*launch_live)(void *const *, void *const *, void *, cudaStream_t, const long long *);

static void check(cudaError_t error)
{
  if (error == cudaSuccess) return;
  printf("error: %s\n", cudaGetErrorString(error));
  exit(1);
}

/* numbers between 1/16 and 1 of either sign, of any of the types */
static void *numbers(size_t bytes, const std::string &type)
{
  static uint64_t state = 1;
  std::vector<uint16_t> half(bytes / 2);
  for (size_t i = 0; i < half.size(); i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const uint16_t drawn = (uint16_t)(state >> 40);
    const uint16_t sign = drawn & 0x8000;
    if (type == "int") half[i] = 0;
    else if (type == "f16") half[i] = (uint16_t)(sign | (0x2c00 + (drawn & 0xfff)));
    else half[i] = type == "bf16" || i % 2 ? (uint16_t)(sign | (0x3d80 + (drawn & 0x1ff))) : drawn;
  }
  void *memory = NULL;
  check(cudaMalloc(&memory, bytes ? bytes : 16));
  check(cudaMemcpy(memory, half.data(), bytes, cudaMemcpyHostToDevice));
  return memory;
}

int main(int argc, char **argv)
{
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) {
    printf("error: %s\n", argc > 1 ? dlerror() : "no library");
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    long number, live;
    size_t workspace, n_in, n_out;
    if (!(words >> number >> workspace >> live >> n_in >> n_out)) continue;
    std::vector<void *> in, out;
    for (size_t i = 0; i < n_in + n_out; i++) {
      size_t bytes;
      std::string type;
      words >> bytes >> type;
      void *memory = NULL;
      if (i < n_in) memory = numbers(bytes, type);
      else check(cudaMalloc(&memory, bytes ? bytes : 16));
      (i < n_in ? in : out).push_back(memory);
    }
    void *room = NULL;
    check(cudaMalloc(&room, workspace ? workspace : 16));
    const std::string name = "assay_launch_" + std::to_string(number);
    void *found = dlsym(library, name.c_str());
    const long long size = live;
    const int status = !found ? -1
                       : live ? ((launch_live)found)(in.data(), out.data(), room, 0, &size)
                              : ((launch)found)(in.data(), out.data(), room, 0);
    if (status) {
      printf("error: %s gives %d\n", name.c_str(), status);
      return 1;
    }
    check(cudaDeviceSynchronize());
    printf("ran %ld\n", number);
    fflush(stdout);
    for (void *memory : in) check(cudaFree(memory));
    for (void *memory : out) check(cudaFree(memory));
    check(cudaFree(room));
  }
  return 0;
}
