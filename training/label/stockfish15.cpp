// Labels positions with the static evaluation of Stockfish 15.1: the answer of its network, scaled
// as its search scales it, without a search. protocol.h describes the input and the output.
//
// Takes the place of Stockfish's main.cpp:
//
//     git clone --depth 1 --branch sf_15.1 https://github.com/official-stockfish/Stockfish
//     cp training/label/protocol.h Stockfish/src
//     cp training/label/stockfish15.cpp Stockfish/src/main.cpp
//     make -C Stockfish/src -j2 net
//     make -C Stockfish/src -j2 build ARCH=x86-64-bmi2 EXE=evaluator
//
// `make net` downloads the network, nn-ad9b42354671.nnue, which the build embeds. The name has the
// first digits of the file's SHA-256 digest. `make help` lists the values of ARCH; `native` is not
// one of them. Builds for AVX2 and AVX-512 evaluate a million positions alike.
//
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <array>
#include <memory>

#include "bitboard.h"
#include "evaluate.h"
#include "position.h"
#include "protocol.h"
#include "types.h"
#include "uci.h"

using namespace Stockfish;

namespace {

// Beyond this clock, Stockfish's damping turns the sign of the evaluation.
constexpr int LONGEST_CLOCK = 195;

// Not Eval::NNUE::verify, which reports the network on the standard output.
void load_network() {
  UCI::init(Options);
  Eval::NNUE::init();
  if (Eval::currentEvalFileName != EvalFileDefaultName)
      Protocol::fail("the network " EvalFileDefaultName " is not embedded");
}

class Stockfish15 : public Protocol::Evaluation {
 public:
  Stockfish15() { load_network(); }

  void set_up(Position& pos, const char* fen, StateInfo& state) const override {
      pos.set(fen, false, &state, nullptr);
  }

  std::array<Value, 4> piece_values() const override {
      return {KnightValueMg, BishopValueMg, RookValueMg, QueenValueMg};
  }

  const char* refusal(const Position& pos) const override {
      return pos.rule50_count() > LONGEST_CLOCK ? "a half-move clock beyond 195" : nullptr;
  }

  // As Eval::evaluate does, without its optimism, which is the search's, and without its branch to
  // the classical evaluation, which judges decisive material faster and worse than the network.
  double centipawns(const Position& pos) override {
      // The board has other pieces than when Stockfish last computed its first layer.
      bool* computed = pos.state()->accumulator.computed;
      computed[WHITE] = computed[BLACK] = false;
      int scale = 1064 + 106 * pos.non_pawn_material() / 5120;
      int value = Eval::NNUE::evaluate(pos, true) * scale / 1024;
      value = value * (LONGEST_CLOCK - pos.rule50_count()) / 211;
      value = std::clamp<int>(value, VALUE_TB_LOSS_IN_MAX_PLY + 1, VALUE_TB_WIN_IN_MAX_PLY - 1);
      // A value of NormalizeToPawnValue wins half of the games at ply 64.
      return 100.0 * value / UCI::NormalizeToPawnValue;
  }
};

}  // namespace

int main() {
  Bitboards::init();
  Position::init();
  auto evaluation = std::make_unique<Stockfish15>();
  std::make_unique<Protocol::Server>(*evaluation)->serve();
  return 0;
}
