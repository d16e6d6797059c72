/* Operator specifications. */
#include "ck_tree.h"

bool ck_definition_begins(const ck_parser *p) {
  return p->at->kind == CK_T_END || ck_at(p, "rule") || ck_at(p, "op") || ck_at(p, "func");
}

/* parts of a shape, in [ ]; of a result also broadcast(a, b) as o */
static ck_axis *shape(ck_parser *p, bool result, uint32_t *n) {
  ck_axis *first = NULL;
  ck_axis **end = &first;
  ck_expect(p, "[");
  if (ck_accept(p, "]"))
    return NULL;
  do {
    ck_axis *a = *end = ck_keep(p->job, sizeof *a);
    end = &a->next;
    ++*n;
    a->at = p->at;
    if (ck_accept(p, "..")) {
      a->list = ck_new_name(p)->text;
      if (!result && ck_accept(p, "@"))
        a->value = ck_parse_size(p);
    } else if (result && ck_at(p, "broadcast") && ck_token_is(p->at + 1, "(")) {
      p->at++;
      ck_expect(p, "(");
      a->first = ck_new_name(p)->text;
      ck_expect(p, ",");
      a->second = ck_new_name(p)->text;
      ck_expect(p, ")");
      ck_expect(p, "as");
      a->list = ck_new_name(p)->text;
    } else {
      a->value = ck_parse_size(p);
    }
  } while (ck_list_goes_on(p, "]"));
  return first;
}

static ck_formal *formal(ck_parser *p, ck_formal ***end) {
  ck_formal *f = **end = ck_keep(p->job, sizeof *f);
  *end = &f->next;
  f->name = ck_new_name(p);
  return f;
}

/* tensors with their shapes; after a semicolon attributes with their defaults */
static void formals(ck_parser *p, ck_operator *op) {
  ck_formal **end = &op->tensors;
  ck_expect(p, "(");
  while (!ck_at(p, ")") && !ck_at(p, ";")) {
    ck_formal *f = formal(p, &end);
    f->axes = shape(p, false, &f->n_axes);
    op->n_tensors++;
    if (!ck_accept(p, ","))
      break;
    if (ck_at(p, ")") || ck_at(p, ";"))
      ck_refuse(p->job, p->at, "name expected");
  }
  end = &op->attributes;
  if (ck_accept(p, ";")) {
    do {
      ck_formal *f = formal(p, &end);
      if (ck_accept(p, "=")) {
        f->default_negative = ck_accept(p, "-");
        if (p->at->kind != CK_T_NUMBER)
          ck_refuse(p->job, p->at, "number expected");
        f->default_number = p->at++;
      }
    } while (ck_accept(p, ","));
  }
  ck_expect(p, ")");
}

/* let name[indices] = body, or out[indices] = body */
static ck_let *definition(ck_parser *p) {
  ck_let *d = ck_keep(p->job, sizeof *d);
  ck_left **end = &d->left;
  if (ck_at(p, "out")) {
    d->name = p->at++;
  } else {
    ck_expect(p, "let");
    d->name = ck_new_name(p);
  }
  ck_expect(p, "[");
  while (!ck_accept(p, "]")) {
    ck_left *i = *end = ck_keep(p->job, sizeof *i);
    end = &i->next;
    i->at = p->at;
    i->list = ck_accept(p, "..");
    i->name = ck_new_name(p)->text;
    if (!ck_at(p, "]"))
      ck_expect(p, ",");
    else
      continue;
    if (ck_at(p, "]"))
      ck_refuse(p->job, p->at, "name expected");
  }
  ck_expect(p, "=");
  d->body = ck_parse_scalar(p);
  ck_line_end(p);
  return d;
}

static void operator_body(ck_parser *p, ck_operator *op) {
  ck_relation **require = &op->requires;
  ck_let **end = &op->lets;
  formals(p, op);
  ck_expect(p, "->");
  op->result = shape(p, true, &op->n_result);
  ck_line_end(p);
  while (ck_accept(p, "require")) {
    *require = ck_parse_relations(p, false);
    while (*require)
      require = &(*require)->next;
    ck_line_end(p);
  }
  do {
    op->out = *end = definition(p);
    end = &op->out->next;
  } while (!ck_token_is(op->out->name, "out"));
}

static void function_body(ck_parser *p, ck_operator *op) {
  ck_formal **end = &op->tensors;
  ck_expect(p, "(");
  do {
    formal(p, &end);
    op->n_tensors++;
  } while (ck_list_goes_on(p, ")"));
  if (!ck_accept(p, "builtin")) {
    ck_expect(p, "=");
    op->body = ck_parse_scalar(p);
  }
  ck_line_end(p);
}

static void pass_over_rule(ck_parser *p) {
  do {
    while (p->at->kind != CK_T_LINE_END)
      p->at++;
    p->at++;
  } while (!ck_definition_begins(p));
}

ck_operator *ck_parse_operators(ck_job *job, const ck_file *file, const char *wanted,
                                const ck_token **rule) {
  ck_parser p = {.job = job, .at = file->tokens};
  ck_operator *first = NULL;
  ck_operator **end = &first;
  while (wanted && ck_at(&p, "use")) /* the rules' own; read where they count */
  {
    for (p.at++; p.at[-1].kind != CK_T_LINE_END;)
      p.at++;
  }
  while (p.at->kind != CK_T_END) {
    const char *from = p.at->from;
    bool function = ck_at(&p, "func");
    if (function || ck_at(&p, "op")) {
      ck_operator *op = *end = ck_keep(job, sizeof *op);
      end = &op->next;
      p.at++;
      op->function = function;
      op->from = from;
      op->name = function ? ck_new_name(&p) : ck_called_name(&p);
      (function ? function_body : operator_body)(&p, op);
      op->to = p.at[-2].end;
    } else if (wanted && ck_accept(&p, "rule")) {
      if (ck_at(&p, wanted)) {
        if (*rule)
          ck_refuse(job, p.at, "rule %s is defined twice", wanted);
        *rule = p.at;
      }
      pass_over_rule(&p);
    } else {
      ck_refuse(job, p.at, "'func', 'op' (or in a file of rules 'rule') expected");
    }
  }
  return first;
}
