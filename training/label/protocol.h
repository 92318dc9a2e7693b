// The protocol between `trainer label` and an evaluator: positions on the standard input, static
// evaluations on the standard output. Each program beside this file adds an evaluation and takes
// the place of Stockfish's main.cpp.
//
//     evaluator < POSITIONS > EVALUATIONS
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

#ifndef PROTOCOL_H_INCLUDED
#define PROTOCOL_H_INCLUDED

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "bitboard.h"
#include "position.h"
#include "types.h"

namespace Protocol {

using namespace Stockfish;

constexpr size_t POSITION_BYTES = 32, BLOCK = 4096;
constexpr size_t PIECES_AT = 8, MOVER_AT = 24, CLOCK_AT = 25;
// viriformat's code of a rook that may castle; the others are a role's number from the pawn's 0 on.
constexpr int UNMOVED_ROOK = 6, LAST_CODE = 6;

constexpr int MOST_CENTIPAWNS = 20000;
constexpr int16_t IN_CHECK = INT16_MAX;

// Stockfish is built without exceptions.
[[noreturn]] inline void fail(const std::string& why) {
  std::cerr << "evaluator: " << why << std::endl;
  std::_Exit(1);
}

// What a version of Stockfish adds to the protocol.
class Evaluation {
 public:
  virtual ~Evaluation() = default;

  virtual void set_up(Position& pos, const char* fen, StateInfo& state) const = 0;
  // Of a knight, bishop, rook and queen in the sum of material that scales the evaluation.
  virtual std::array<Value, 4> piece_values() const = 0;
  // Null, or why the position cannot be evaluated.
  virtual const char* refusal(const Position& pos) const = 0;
  // From the side to move, which is not in check.
  virtual double centipawns(const Position& pos) = 0;
};

// ---- Positions ----------------------------------------------------------------------------------

using Pieces = std::array<Piece, SQUARE_NB>;

struct Placement {
  Pieces pieces;
  Color mover;
  int clock;
};

inline Bitboard occupied_squares(const unsigned char* packed) {
  Bitboard squares = 0;
  for (int i = 8; i-- > 0;)
      squares = squares << 8 | packed[i];
  return squares;
}

// Null, or why the position cannot be evaluated.
inline const char* unpack(const unsigned char* packed, Placement& placement) {
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
  return nullptr;
}

// Positions that are made by moving pieces on the board of the one before, which costs a fraction
// of Position::set. What the evaluation does not read is left as it was: keys, pins, rights.
class Boards {
 public:
  explicit Boards(const Evaluation& evaluation) : values(evaluation.piece_values()) {
      evaluation.set_up(positions[WHITE], "4k3/8/8/8/8/8/8/4K3 w - - 0 1", states[WHITE]);
      evaluation.set_up(positions[BLACK], "4k3/8/8/8/8/8/8/4K3 b - - 0 1", states[BLACK]);
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

  Value non_pawn_material(const Position& pos, Color color) const {
      return values[0] * pos.count<KNIGHT>(color) + values[1] * pos.count<BISHOP>(color)
           + values[2] * pos.count<ROOK>(color) + values[3] * pos.count<QUEEN>(color);
  }

  std::array<Value, 4> values;
  std::array<StateInfo, COLOR_NB> states;
  std::array<Position, COLOR_NB> positions;
};

// ---- Answers ------------------------------------------------------------------------------------

class Server {
 public:
  explicit Server(Evaluation& e) : evaluation(e), boards(e) {}

  // Until the end of the input.
  void serve() {
      std::vector<unsigned char> block(BLOCK * POSITION_BYTES);
      uint64_t answered = 0;
      size_t held = 0;
      while (size_t more = read_some(block.data() + held, block.size() - held))
      {
          held += more;
          size_t whole = held / POSITION_BYTES;
          answer(block.data(), whole, answered);
          answered += whole;
          held %= POSITION_BYTES;
          std::memmove(block.data(), block.data() + whole * POSITION_BYTES, held);
      }
      if (held)
          fail("the input ends within position " + std::to_string(answered));
  }

 private:
  // `first` is the number of the first position in the input.
  void answer(const unsigned char* positions, size_t count, uint64_t first) {
      std::array<unsigned char, BLOCK * sizeof(int16_t)> answers;
      for (size_t i = 0; i < count; ++i)
      {
          int16_t centipawns;
          if (const char* why = evaluate(positions + i * POSITION_BYTES, centipawns))
          {
              write_all(answers.data(), i * sizeof(int16_t));
              fail("position " + std::to_string(first + i) + ": " + why);
          }
          answers[2 * i] = static_cast<unsigned char>(centipawns);
          answers[2 * i + 1] = static_cast<unsigned char>(centipawns >> 8);
      }
      write_all(answers.data(), count * sizeof(int16_t));
  }

  // Null, or why the position cannot be evaluated.
  const char* evaluate(const unsigned char* packed, int16_t& centipawns) {
      Placement placement;
      if (const char* why = unpack(packed, placement))
          return why;
      const Position& pos = boards.arrange(placement);
      if (Boards::attackers_of_king(pos, ~pos.side_to_move()))
          return "the side that is not to move is in check";
      if (const char* why = evaluation.refusal(pos))
          return why;
      centipawns = pos.checkers() ? IN_CHECK : for_white(pos);
      return nullptr;
  }

  int16_t for_white(const Position& pos) {
      long centipawns = std::lround(evaluation.centipawns(pos));
      centipawns = std::clamp<long>(centipawns, -MOST_CENTIPAWNS, MOST_CENTIPAWNS);
      return static_cast<int16_t>(pos.side_to_move() == WHITE ? centipawns : -centipawns);
  }

  static size_t read_some(unsigned char* to, size_t most) {
      for (;;)
      {
          ssize_t count = read(STDIN_FILENO, to, most);
          if (count >= 0)
              return static_cast<size_t>(count);
          if (errno != EINTR)
              fail(std::string("cannot read: ") + std::strerror(errno));
      }
  }

  static void write_all(const unsigned char* bytes, size_t count) {
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

  Evaluation& evaluation;
  Boards boards;
};

}  // namespace Protocol

#endif  // PROTOCOL_H_INCLUDED
