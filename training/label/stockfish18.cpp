// Labels positions with the static evaluation of Stockfish 18: the answer of its networks, scaled
// as its search scales it, without a search.
//
//     evaluator < POSITIONS > EVALUATIONS
//
// Takes the place of Stockfish's main.cpp:
//
//     git clone --depth 1 --branch sf_18 https://github.com/official-stockfish/Stockfish
//     cp training/label/stockfish18.cpp Stockfish/src/main.cpp
//     make -C Stockfish/src -j2 net
//     make -C Stockfish/src -j2 build ARCH=native EXE=evaluator
//
// `make net` downloads the two networks, nn-c288c895ea92.nnue and nn-37f18f62d772.nnue, which the
// build embeds. Each name has the first digits of its file's SHA-256 digest.
//
// stdin:  positions of 32 bytes, the `PackedBoard` of viriformat. Only the pieces, the side to move
//         and the half-move clock count: the networks do not see castling or en passant.
// stdout: for each position, in order, an int16 in little-endian: centipawns from White's side,
//         within ±20000, or 32767 where the side to move is in check. Stockfish has no static
//         evaluation there.
//
// The program answers whatever it has read, up to 4096 positions, before it reads more. A caller
// that writes positions and then waits for their answers therefore gets them. A caller of one
// thread must not leave more than 16,384 answers unread: a pipe of 64 KiB holds that many for
// sure, and while it is full, nothing is read.
//
// Status 0 at the end of the input; status 1 with a message on stderr where the input ends within
// a position, and where a position cannot be evaluated. The answers before it are written.
//
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "bitboard.h"
#include "evaluate.h"
#include "memory.h"
#include "nnue/network.h"
#include "nnue/nnue_accumulator.h"
#include "nnue/nnue_architecture.h"
#include "position.h"
#include "types.h"

using namespace Stockfish;
using namespace Stockfish::Eval::NNUE;

namespace {

constexpr size_t POSITION_BYTES = 32, BLOCK = 4096;
constexpr size_t PIECES_AT = 8, MOVER_AT = 24, CLOCK_AT = 25;
// viriformat's code of a rook that may castle; the others are a role's number from the pawn's 0 on.
constexpr int UNMOVED_ROOK = 6, LAST_CODE = 6;
// Beyond this clock, Stockfish's damping turns the sign of the evaluation.
constexpr int LONGEST_CLOCK = 199;

// One pawn is what wins half of the games at full material, 58: the sum of the coefficients `as` of
// win_rate_params in Stockfish's uci.cpp.
constexpr double PAWN_UNIT = -72.32565836 + 185.93832038 - 144.58862193 + 416.44950446;
constexpr int MOST_CENTIPAWNS = 20000;
constexpr int16_t IN_CHECK = INT16_MAX;

// Stockfish is built without exceptions.
[[noreturn]] void fail(const std::string& why) {
  std::cerr << "evaluator: " << why << std::endl;
  std::_Exit(1);
}

// ---- Positions ----------------------------------------------------------------------------------

using Pieces = std::array<Piece, SQUARE_NB>;

struct Placement {
  Pieces pieces;
  Color mover;
  int clock;
};

Bitboard occupied_squares(const unsigned char* packed) {
  Bitboard squares = 0;
  for (int i = 8; i-- > 0;)
      squares = squares << 8 | packed[i];
  return squares;
}

// Null, or why the position cannot be evaluated.
const char* unpack(const unsigned char* packed, Placement& placement) {
  Bitboard occupied = occupied_squares(packed);
  if (popcount(occupied) > 32)
      return "more than 32 pieces";
  placement.pieces.fill(NO_PIECE);
  int kings[COLOR_NB] = {};
  for (int i = 0; occupied; ++i)
  {
      Square square = pop_lsb(occupied);
      int code = packed[PIECES_AT + i / 2] >> (4 * (i % 2)) & 15;
      Color color = Color(code >> 3);
      code &= 7;
      if (code > LAST_CODE)
          return "an unknown piece";
      PieceType role = code == UNMOVED_ROOK ? ROOK : PieceType(PAWN + code);
      if (role == PAWN && (rank_of(square) == RANK_1 || rank_of(square) == RANK_8))
          return "a pawn on the first or last rank";
      kings[color] += role == KING;
      placement.pieces[square] = make_piece(color, role);
  }
  if (kings[WHITE] != 1 || kings[BLACK] != 1)
      return "a side without exactly one king";
  placement.mover = Color(packed[MOVER_AT] >> 7);
  placement.clock = packed[CLOCK_AT];
  return placement.clock > LONGEST_CLOCK ? "a half-move clock beyond 199" : nullptr;
}

// Positions that are made by moving pieces on the board of the one before, which costs a fraction
// of Position::set. What the evaluation does not read is left as it was: keys, pins, rights.
class Boards {
 public:
  Boards() {
      positions[WHITE].set("4k3/8/8/8/8/8/8/4K3 w - - 0 1", false, &states[WHITE]);
      positions[BLACK].set("4k3/8/8/8/8/8/8/4K3 b - - 0 1", false, &states[BLACK]);
  }

  // Valid until the next call. There is a board for each mover, which cannot be changed.
  const Position& arrange(const Placement& placement) {
      Position& pos = positions[placement.mover];
      move_pieces(pos, placement.pieces);
      StateInfo& state = *pos.state();
      state.rule50 = placement.clock;
      for (Color color : {WHITE, BLACK})
          state.nonPawnMaterial[color] = non_pawn_material(pos, color);
      state.checkersBB = attackers_of_king(pos, pos.side_to_move());
      return pos;
  }

  static Bitboard attackers_of_king(const Position& pos, Color color) {
      return pos.attackers_to(pos.square<KING>(color)) & pos.pieces(~color);
  }

 private:
  static void move_pieces(Position& pos, const Pieces& to) {
      for (Square square = SQ_A1; square <= SQ_H8; ++square)
          if (pos.piece_on(square) != to[square])
          {
              if (!pos.empty(square))
                  pos.remove_piece(square);
              if (to[square] != NO_PIECE)
                  pos.put_piece(to[square], square);
          }
  }

  static Value non_pawn_material(const Position& pos, Color color) {
      return KnightValue * pos.count<KNIGHT>(color) + BishopValue * pos.count<BISHOP>(color)
           + RookValue * pos.count<ROOK>(color) + QueenValue * pos.count<QUEEN>(color);
  }

  std::array<StateInfo, COLOR_NB> states;
  std::array<Position, COLOR_NB> positions;
};

// ---- Evaluation ---------------------------------------------------------------------------------

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

class Evaluator {
 public:
  Evaluator() :
      networks(load_networks()),
      caches(std::make_unique<AccumulatorCaches>(*networks)),
      stack(std::make_unique<AccumulatorStack>()) {}

  // Null, or why the position cannot be evaluated.
  const char* evaluate(const unsigned char* packed, int16_t& centipawns) {
      Placement placement;
      if (const char* why = unpack(packed, placement))
          return why;
      const Position& pos = boards.arrange(placement);
      if (Boards::attackers_of_king(pos, ~pos.side_to_move()))
          return "the side that is not to move is in check";
      if (!threats_fit(pos))
          return "more threats than Stockfish has room for";
      centipawns = pos.checkers() ? IN_CHECK : for_white(pos);
      return nullptr;
  }

 private:
  // The stack has no position before this one. For the part of the first layer that depends on
  // the king's square, Stockfish starts from the last position with the king there, in the caches.
  // It adds up the threats anew, half of the time; to keep and update them as well is no faster.
  int16_t for_white(const Position& pos) {
      stack->reset();
      int value = Eval::evaluate(*networks, pos, *stack, *caches, 0);
      long centipawns = std::lround(100 * value / PAWN_UNIT);
      centipawns = std::clamp<long>(centipawns, -MOST_CENTIPAWNS, MOST_CENTIPAWNS);
      return static_cast<int16_t>(pos.side_to_move() == WHITE ? centipawns : -centipawns);
  }

  LargePagePtr<Networks> networks;
  std::unique_ptr<AccumulatorCaches> caches;
  std::unique_ptr<AccumulatorStack> stack;
  Boards boards;
};

// ---- Input and output ---------------------------------------------------------------------------

size_t read_some(unsigned char* to, size_t most) {
  for (;;)
  {
      ssize_t count = read(STDIN_FILENO, to, most);
      if (count >= 0)
          return static_cast<size_t>(count);
      if (errno != EINTR)
          fail(std::string("cannot read: ") + std::strerror(errno));
  }
}

void write_all(const unsigned char* bytes, size_t count) {
  while (count > 0)
  {
      ssize_t written = write(STDOUT_FILENO, bytes, count);
      if (written < 0 && errno != EINTR)
          fail(std::string("cannot write: ") + std::strerror(errno));
      if (written > 0)
      {
          bytes += written;
          count -= static_cast<size_t>(written);
      }
  }
}

// `first` is the number of the first position in the input.
void answer(Evaluator& evaluator, const unsigned char* positions, size_t count, uint64_t first) {
  std::array<unsigned char, BLOCK * sizeof(int16_t)> answers;
  for (size_t i = 0; i < count; ++i)
  {
      int16_t centipawns;
      if (const char* why = evaluator.evaluate(positions + i * POSITION_BYTES, centipawns))
      {
          write_all(answers.data(), i * sizeof(int16_t));
          fail("position " + std::to_string(first + i) + ": " + why);
      }
      answers[2 * i] = static_cast<unsigned char>(centipawns);
      answers[2 * i + 1] = static_cast<unsigned char>(centipawns >> 8);
  }
  write_all(answers.data(), count * sizeof(int16_t));
}

void serve(Evaluator& evaluator) {
  std::vector<unsigned char> block(BLOCK * POSITION_BYTES);
  uint64_t answered = 0;
  size_t held = 0;
  while (size_t more = read_some(block.data() + held, block.size() - held))
  {
      held += more;
      size_t whole = held / POSITION_BYTES;
      answer(evaluator, block.data(), whole, answered);
      answered += whole;
      held %= POSITION_BYTES;
      std::memmove(block.data(), block.data() + whole * POSITION_BYTES, held);
  }
  if (held)
      fail("the input ends within position " + std::to_string(answered));
}

}  // namespace

int main() {
  Bitboards::init();
  Position::init();
  auto evaluator = std::make_unique<Evaluator>();
  serve(*evaluator);
  return 0;
}
