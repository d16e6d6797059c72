/* Which build of the program runs. */
#include "build_id.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t padded(size_t n) {
  return (n + 3) / 4 * 4;
}

/* the linker's note among those of a segment: its hash of the program; true: it is there */
static bool find_note(const char *notes, size_t size, char id[65]) {
  ElfW(Nhdr) note;
  for (size_t at = 0; at + sizeof note <= size;) {
    memcpy(&note, notes + at, sizeof note);
    const char *name = notes + at + sizeof note;
    size_t content = at + sizeof note + padded(note.n_namesz);
    if (content + note.n_descsz > size)
      return false;
    bool is_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
                 memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (is_id && note.n_descsz >= 16 && note.n_descsz <= 32) {
      for (size_t i = 0; i < note.n_descsz; i++)
        snprintf(id + 2 * i, 3, "%02x", (unsigned char)notes[content + i]);
      return true;
    }
    at = content + padded(note.n_descsz);
  }
  return false;
}

/* of the first object, which is the program itself */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *id) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const char *begin = (const char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && find_note(begin, segment->p_memsz, id))
      break;
  }
  return 1;
}

void as_build_id(char id[65]) {
  id[0] = 0;
  dl_iterate_phdr(look_at_program, id);
  if (id[0])
    return;
  as_err err;
  as_err_init(&err);
  size_t len;
  char *executable = as_read_file("/proc/self/exe", &len, &err);
  if (executable)
    as_sha256(executable, len, id);
  else
    snprintf(id, 65, "unknown");
  free(executable);
  as_err_clear(&err);
}
