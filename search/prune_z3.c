#include "sg_space.h"
bool sg_z3_wanted(sg_space *s, ax_id e) { (void)s; (void)e; return true; }
void sg_z3_free(void *z3) { (void)z3; }
