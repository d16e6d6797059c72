/* Terms and formulas written as RULES.md writes them.  `s` is what the function at hand works on;
 * its member T is the table of terms.  Includes ck_term.h only.  Used by the rules and the
 * elaboration. */
#pragma once
#include "ck_term.h"

#define ZERO ck_int(s->T, 0)
#define ONE ck_int(s->T, 1)
#define EQ(a, b) ck_mk2(s->T, CK_EQ, a, b)
#define NE(a, b) ck_mk2(s->T, CK_NE, a, b)
#define LE(a, b) ck_mk2(s->T, CK_LE, a, b)
#define LT(a, b) ck_mk2(s->T, CK_LT, a, b)
#define NOT(relation) ck_neg(s->T, relation)
#define PLUS(a, b) ck_mk2(s->T, CK_ADD, a, b)
#define TIMES(a, b) ck_mk2(s->T, CK_MUL, a, b)
#define DIV(a, b) ck_mk2(s->T, CK_DIV, a, b)
#define MOD(a, b) ck_mk2(s->T, CK_MOD, a, b)
#define INV(a) ck_mk1(s->T, CK_INV, a)
#define EXP(a) ck_mk1(s->T, CK_EXP, a)
#define SQRT(a) ck_mk1(s->T, CK_SQRT, a)
#define LOG(a) ck_mk1(s->T, CK_LOG, a)
#define ITE(relation, a, b) ck_ite(s->T, relation, a, b)
#define MAX2(a, b) ITE(LE(a, b), b, a)
#define MIN2(a, b) ITE(LE(a, b), a, b)
#define KID(t, i) ck_kid(s->T, t, i)
