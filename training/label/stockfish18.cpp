// Labels positions with the static evaluation of Stockfish 18: the answer of its networks, scaled
// as its search scales it, without a search. protocol.h describes the input and the output.
//
// Takes the place of Stockfish's main.cpp:
//
//     git clone --depth 1 --branch sf_18 https://github.com/official-stockfish/Stockfish
//     cp training/label/protocol.h Stockfish/src
//     cp training/label/stockfish18.cpp Stockfish/src/main.cpp
//     make -C Stockfish/src -j2 net
//     make -C Stockfish/src -j2 build ARCH=native EXE=evaluator
//
// `make net` downloads the two networks, nn-c288c895ea92.nnue and nn-37f18f62d772.nnue, which the
// build embeds. Each name has the first digits of its file's SHA-256 digest.
//
// SPDX-License-Identifier: GPL-3.0-or-later

#include <array>
#include <iostream>
#include <memory>
#include <string_view>

#include "bitboard.h"
#include "evaluate.h"
#include "memory.h"
#include "nnue/network.h"
#include "nnue/nnue_accumulator.h"
#include "nnue/nnue_architecture.h"
#include "position.h"
#include "protocol.h"
#include "types.h"

using namespace Stockfish;
using namespace Stockfish::Eval::NNUE;

namespace {

// Beyond this clock, Stockfish's damping turns the sign of the evaluation.
constexpr int LONGEST_CLOCK = 199;

// One pawn is what wins half of the games at full material, 58: the sum of the coefficients `as` of
// win_rate_params in Stockfish's uci.cpp.
constexpr double PAWN_UNIT = -72.32565836 + 185.93832038 - 144.58862193 + 416.44950446;

LargePagePtr<Networks> load_networks() {
  auto networks = make_unique_large_page<Networks>(EvalFile{EvalFileDefaultNameBig, "None", ""},
                                                   EvalFile{EvalFileDefaultNameSmall, "None", ""});
  auto say = [](std::string_view message) { std::cerr << message << std::endl; };
  networks->big.load("", "");
  networks->big.verify("", say);
  networks->small.load("", "");
  networks->small.verify("", say);
  return networks;
}

// Stockfish lists the threats of a position without a check for the end of the list. Its room is
// what the pieces of a game's start can attack, each as much as its kind does at best; only more
// officers than that need a count.
bool threats_fit(const Position& pos) {
  constexpr int ROOM = ThreatFeatureSet::MaxActiveDimensions;
  int at_best = 2 * pos.count<PAWN>() + 4 * (pos.count<BISHOP>() + pos.count<ROOK>())
              + 8 * (pos.count<KNIGHT>() + pos.count<QUEEN>() + pos.count<KING>());
  if (at_best <= ROOM)
      return true;
  int threats = 0;
  for (Bitboard left = pos.pieces(); left;)
  {
      Square from = pop_lsb(left);
      threats += popcount(attacks_bb(pos.piece_on(from), from, pos.pieces()) & pos.pieces());
  }
  return threats <= ROOM;
}

class Stockfish18 : public Protocol::Evaluation {
 public:
  Stockfish18() :
      networks(load_networks()),
      caches(std::make_unique<AccumulatorCaches>(*networks)),
      stack(std::make_unique<AccumulatorStack>()) {}

  void set_up(Position& pos, const char* fen, StateInfo& state) const override {
      pos.set(fen, false, &state);
  }

  std::array<Value, 4> piece_values() const override {
      return {KnightValue, BishopValue, RookValue, QueenValue};
  }

  const char* refusal(const Position& pos) const override {
      if (pos.rule50_count() > LONGEST_CLOCK)
          return "a half-move clock beyond 199";
      return threats_fit(pos) ? nullptr : "more threats than Stockfish has room for";
  }

  // The stack has no position before this one. For the part of the first layer that depends on
  // the king's square, Stockfish starts from the last position with the king there, in the caches.
  // It adds up the threats anew, half of the time; to keep and update them as well is no faster.
  double centipawns(const Position& pos) override {
      stack->reset();
      int value = Eval::evaluate(*networks, pos, *stack, *caches, 0);
      return 100 * value / PAWN_UNIT;
  }

 private:
  LargePagePtr<Networks> networks;
  std::unique_ptr<AccumulatorCaches> caches;
  std::unique_ptr<AccumulatorStack> stack;
};

}  // namespace

int main() {
  Bitboards::init();
  Position::init();
  auto evaluation = std::make_unique<Stockfish18>();
  std::make_unique<Protocol::Server>(*evaluation)->serve();
  return 0;
}
