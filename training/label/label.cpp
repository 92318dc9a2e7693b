// Labels positions with the static evaluation of Stockfish 15.1: its network's answer, scaled as Stockfish scales it, without a search. The labels
// have no noise and cost two microseconds each, so that there can be as many as a network wants to learn from.
//
//     label GAMES.vf POSITIONS.vf SEED FIRST STEP
//
// reads viriformat games, every STEP-th of the file from the FIRST one on (from 0). Of each position it writes the position itself, half of the time, and
// two children by random moves, of which half are drawn from the captures alone where there are any; each child has a child of its own with a
// chance of a quarter, and so on. That is what a search looks at, not only what a game comes to. What is written is a game of one move for each
// position: the position, a quiet move that nobody learns from, and the evaluation; it has no result. Left out are positions in check, without a
// quiet move, or beyond 30 pawns, and all of the games that the trainer holds out.
//
// Takes the place of Stockfish's main.cpp (training/README.md has the commands).
// SPDX-License-Identifier: GPL-3.0-or-later

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "bitboard.h"
#include "endgame.h"
#include "evaluate.h"
#include "movegen.h"
#include "position.h"
#include "psqt.h"
#include "search.h"
#include "thread.h"
#include "uci.h"

using namespace Stockfish;

namespace {

// viriformat: 32 bytes for the position that a game begins with, 4 for each move with its score, 4 zeros behind the last.
constexpr size_t START = 32, MOVE = 4, GAME_OF_ONE = START + 2 * MOVE;
// The code of a rook that may castle; the others are a role's number from the pawn's 0 on.
constexpr int UNMOVED_ROOK = 6;
constexpr int MOST_CENTIPAWNS = 3000;
constexpr size_t FLUSHED_BYTES = 4 << 20;

// Stockfish is built without exceptions.
[[noreturn]] void fail(const std::string& why) {
  std::cerr << why << std::endl;
  std::_Exit(1);
}

using Start = std::array<unsigned char, START>;

uint64_t little_endian(const unsigned char* bytes, int count) {
  uint64_t number = 0;
  for (int i = count; i-- > 0;)
      number = number << 8 | bytes[i];
  return number;
}

void put_little_endian(unsigned char* bytes, int count, uint64_t number) {
  for (int i = 0; i < count; ++i, number >>= 8)
      bytes[i] = static_cast<unsigned char>(number);
}

// The position as a FEN that names the files of the rooks that may castle. The clocks play no part.
std::string fen_of(const unsigned char* start) {
  uint64_t occupied = little_endian(start, 8);
  char board[64] = {};
  std::string rights[COLOR_NB];
  for (int square = 0, i = 0; square < 64; ++square)
      if (occupied >> square & 1)
      {
          int code = start[8 + i / 2] >> (4 * (i % 2)) & 15, role = code & 7, black = code >> 3;
          ++i;
          if (role == UNMOVED_ROOK)
          {
              rights[black] += static_cast<char>((black ? 'a' : 'A') + square % 8);
              role = ROOK - PAWN;
          }
          board[square] = black ? "pnbrqk?"[role] : "PNBRQK?"[role];
      }
  std::string fen;
  for (int rank = 7; rank >= 0; --rank)
  {
      int empty = 0;
      for (int file = 0; file < 8; ++file)
      {
          char piece = board[8 * rank + file];
          if (!piece)
          {
              ++empty;
              continue;
          }
          if (empty)
              fen += std::to_string(empty);
          empty = 0;
          fen += piece;
      }
      if (empty)
          fen += std::to_string(empty);
      if (rank)
          fen += '/';
  }
  fen += start[24] & 128 ? " b " : " w ";
  fen += rights[WHITE].empty() && rights[BLACK].empty() ? "-" : rights[WHITE] + rights[BLACK];
  int behind = start[24] & 127;
  fen += behind < 64 ? " " + UCI::square(Square(behind)) : " -";
  return fen + " 0 1";
}

Start start_of(const Position& pos) {
  Start start{};
  put_little_endian(start.data(), 8, pos.pieces());
  int i = 0;
  for (Bitboard left = pos.pieces(); left; ++i)
  {
      Square square = pop_lsb(left);
      Piece piece = pos.piece_on(square);
      Color color = color_of(piece);
      int code = type_of(piece) - PAWN;
      for (CastlingRights side : {KING_SIDE, QUEEN_SIDE})
          if (pos.can_castle(color & side) && pos.castling_rook_square(color & side) == square)
              code = UNMOVED_ROOK;
      start[8 + i / 2] |= static_cast<unsigned char>((code | color << 3) << (4 * (i % 2)));
  }
  start[24] = static_cast<unsigned char>(pos.side_to_move() << 7 | 64);
  start[26] = 1;  // the first move …
  start[30] = 1;  // … of a game that would be a draw
  return start;
}

uint16_t viriformat(Move m) {
  int squares = int(from_sq(m)) | int(to_sq(m)) << 6;
  switch (type_of(m))
  {
  case PROMOTION :
      return static_cast<uint16_t>(squares | 0xC000 | (promotion_type(m) - KNIGHT) << 12);
  case EN_PASSANT :
      return static_cast<uint16_t>(squares | 0x4000);
  case CASTLING :
      return static_cast<uint16_t>(squares | 0x8000);
  default :
      return static_cast<uint16_t>(squares);
  }
}

// From the side to move, in the centipawns of UCI: what Eval::evaluate makes of the network's answer without optimism and at a half-move clock of 0.
int centipawns(const Position& pos) {
  int scale = 1064 + 106 * pos.non_pawn_material() / 5120;
  int value = Eval::NNUE::evaluate(pos, true) * scale / 1024 * 195 / 211;
  return value * 100 / UCI::NormalizeToPawnValue;
}

// Whether the trainer measures its loss on this game of the file and never learns from it (training/src/dataset.rs): one of a hundred, by FNV-1a of
// the file's name and the game's number.
bool is_held_out(const std::string& path, uint64_t game) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (char letter : path.substr(path.find_last_of('/') + 1))
      add(static_cast<unsigned char>(letter));
  for (int i = 0; i < 8; ++i)
      add(static_cast<unsigned char>(game >> (8 * i)));
  return (hash >> 32) % 100 == 0;
}

class Labeller {
 public:
  Labeller(const char* path, uint64_t seed) : to(path, std::ios::binary), random(seed) {
      if (!to)
          fail(std::string("cannot write ") + path);
  }

  void game(const unsigned char* bytes, size_t moves) {
      Position pos;
      std::vector<StateInfo> states(moves + 1);
      pos.set(fen_of(bytes), true, &states[0], Threads.main());
      for (size_t ply = 0; ply < moves; ++ply)
      {
          if (chance(0.5))
              write(pos);
          descend(pos);
          descend(pos);
          uint64_t played = little_endian(bytes + START + MOVE * ply, 2);
          Move next = MOVE_NONE;
          for (const auto& m : MoveList<LEGAL>(pos))
              if (viriformat(m) == played)
                  next = m;
          if (next == MOVE_NONE)
              fail("a move that cannot be played in " + pos.fen());
          pos.do_move(next, states[ply + 1]);
      }
      if (out.size() > FLUSHED_BYTES)
          flush();
  }

  size_t finish() {
      flush();
      to.close();
      if (!to)
          fail("cannot write all of the positions");
      return written;
  }

 private:
  bool chance(double likelihood) { return static_cast<double>(random() >> 11) * 0x1.0p-53 < likelihood; }

  void descend(Position& pos) {
      Move m = random_move(pos);
      if (m == MOVE_NONE)
          return;
      StateInfo state;
      pos.do_move(m, state);
      write(pos);
      if (chance(0.25))
          descend(pos);
      pos.undo_move(m);
  }

  Move random_move(const Position& pos) {
      std::vector<Move> all, captures;
      for (const auto& m : MoveList<LEGAL>(pos))
      {
          all.push_back(m);
          if (pos.capture(m))
              captures.push_back(m);
      }
      if (all.empty())
          return MOVE_NONE;
      const auto& from = !captures.empty() && chance(0.5) ? captures : all;
      return from[random() % from.size()];
  }

  void write(const Position& pos) {
      if (pos.checkers())
          return;
      Move quiet = MOVE_NONE;
      for (const auto& m : MoveList<QUIETS>(pos))
          if (type_of(m) == NORMAL && pos.legal(m))
          {
              quiet = m;
              break;
          }
      if (quiet == MOVE_NONE)
          return;
      int value = centipawns(pos);
      if (std::abs(value) > MOST_CENTIPAWNS)
          return;
      std::array<unsigned char, GAME_OF_ONE> bytes{};
      Start start = start_of(pos);
      std::memcpy(bytes.data(), start.data(), START);
      put_little_endian(&bytes[START], 2, viriformat(quiet));
      int for_white = pos.side_to_move() == WHITE ? value : -value;
      put_little_endian(&bytes[START + 2], 2, static_cast<uint16_t>(for_white));
      out.insert(out.end(), bytes.begin(), bytes.end());
      ++written;
  }

  void flush() {
      to.write(out.data(), static_cast<std::streamsize>(out.size()));
      out.clear();
  }

  std::ofstream to;
  std::mt19937_64 random;
  std::vector<char> out;
  size_t written = 0;
};

std::vector<unsigned char> read(const char* path) {
  std::ifstream from(path, std::ios::binary);
  if (!from)
      fail(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

void label(const char* games, const char* positions, uint64_t seed, size_t first, size_t step) {
  const std::vector<unsigned char> bytes = read(games);
  Labeller labeller(positions, seed);
  size_t number = 0, labelled = 0;
  for (size_t at = 0; at < bytes.size(); ++number)
  {
      size_t moves = 0;
      auto entry = [&] { return at + START + MOVE * moves; };
      for (; entry() + MOVE <= bytes.size() && little_endian(&bytes[entry()], MOVE); ++moves) {}
      if (entry() + MOVE > bytes.size())
          fail("game " + std::to_string(number) + " has no end");
      if (number % step == first && !is_held_out(games, number))
      {
          labeller.game(&bytes[at], moves);
          ++labelled;
      }
      at = entry() + MOVE;
  }
  std::cout << labelled << " of " << number << " games, " << labeller.finish() << " positions" << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 6 || std::atoi(argv[4]) < 0 || std::atoi(argv[4]) >= std::atoi(argv[5]))
  {
      std::cerr << "label GAMES.vf POSITIONS.vf SEED FIRST STEP, FIRST below STEP" << std::endl;
      return 2;
  }
  CommandLine::init(1, argv);
  UCI::init(Options);
  PSQT::init();
  Bitboards::init();
  Position::init();
  Bitbases::init();
  Endgames::init();
  Threads.set(1);
  Search::clear();
  Eval::NNUE::init();
  Eval::NNUE::verify();
  label(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10), std::strtoull(argv[5], nullptr, 10));
  Threads.set(0);
  return 0;
}
