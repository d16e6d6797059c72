/* How the choices of evaluations went. */
#include "eval_code.h"
#include "eval_machine.h"

void as_eval_cover_init(as_eval_cover *cover) {
  as_vec_init(&cover->choice, sizeof(as_eval_choice));
  as_map_init(&cover->known, 2);
}

void as_eval_cover_clear(as_eval_cover *cover) {
  as_vec_clear(&cover->choice);
  as_map_clear(&cover->known);
}

uint32_t as_eval_cover_untaken(const as_eval_cover *cover) {
  uint32_t n = 0;
  for (size_t i = 0; i < cover->choice.n; i++) {
    const as_eval_choice *choice = &AS_VEC_AT(&cover->choice, as_eval_choice, i);
    n += (choice->times[0] > 0) != (choice->times[1] > 0);
  }
  return n;
}

static as_eval_choice *choice_at(as_eval_cover *cover, as_node_id node, uint32_t number) {
  uint64_t at;
  if (!as_map_get(&cover->known, AS_KEY(node, number), &at)) {
    at = cover->choice.n;
    as_vec_push(&cover->choice, &(as_eval_choice){.node = node, .number = number});
    as_map_put(&cover->known, AS_KEY(node, number), at);
  }
  return &AS_VEC_AT(&cover->choice, as_eval_choice, at);
}

void as_eval_cover_add(as_eval_cover *cover, const as_eval_cover *other) {
  for (size_t i = 0; i < other->choice.n; i++) {
    const as_eval_choice *from = &AS_VEC_AT(&other->choice, as_eval_choice, i);
    as_eval_choice *choice = choice_at(cover, from->node, from->number);
    for (int way = 0; way < 2; way++)
      choice->times[way] += from->times[way];
  }
}

void ev_note_choices(as_eval_cover *cover, as_node_id node, as_opcode *opcode) {
  for (uint32_t i = 0; i < opcode->taken.n; i++) {
    choice_taken *taken = &AS_VEC_AT(&opcode->taken, choice_taken, i);
    as_eval_choice *choice = choice_at(cover, node, i);
    for (int way = 0; way < 2; way++) {
      choice->times[way] += taken->times[way];
      taken->times[way] = 0;
    }
  }
}
