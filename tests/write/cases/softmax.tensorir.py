# The tile program `row_softmax` as TensorIR: what is written is certified, this text is not.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def row_softmax(x: T.Buffer((15,), "float32"), y: T.Buffer((15,), "float32")):
    T.func_attr({"tirx.noalias": True})
    for pid0_ in T.parallel(3):
        with T.sblock("pid0"):
            pid0 = T.axis.spatial((0, 3), pid0_)
            xv = T.sblock_alloc_buffer((8, ), "float32")
            for i0_ in T.grid(8):
                with T.sblock("xv"):
                    i0 = T.axis.spatial(8, i0_)
                    xv[i0] = T.if_then_else((i0 < 5), T.Cast("float32", x[((pid0 * 5) + i0)]), T.Cast("float32", T.float32(0)))
            m = T.sblock_alloc_buffer((1,), "float32")
            for k0_ in T.grid(8):
                with T.sblock("m"):
                    k0 = T.axis.reduce(8, k0_)
                    with T.init():
                        m[0] = T.min_value("float32")
                    m[0] = T.max(m[0], T.if_then_else(T.Not((k0 < 5)), xv[0], xv[k0]))
            e = T.sblock_alloc_buffer((8, ), "float32")
            for i0_2_ in T.grid(8):
                with T.sblock("e"):
                    i0_2 = T.axis.spatial(8, i0_2_)
                    e[i0_2] = T.if_then_else(T.Not((i0_2 < 5)), T.float32(0), T.exp((xv[i0_2] - m[0])))
            sum_2 = T.sblock_alloc_buffer((1,), "float32")
            for k1_ in T.grid(8):
                with T.sblock("sum_2"):
                    k1 = T.axis.reduce(8, k1_)
                    with T.init():
                        sum_2[0] = T.float32(0)
                    sum_2[0] = sum_2[0] + e[k1]
            for i0_3_ in T.grid(8):
                with T.sblock("y_store"):
                    i0_3 = T.axis.spatial(8, i0_3_)
                    if (i0_3 < 5):
                        y[((pid0 * 5) + i0_3)] = T.Cast("float32", (e[i0_3] / sum_2[0]))
