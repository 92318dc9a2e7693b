"""Test of `kibitzer-uci` with python-chess's engine module: play, analysis, MultiPV, ponder, stop.

    python3 tests/uci/python_chess.py target/release/kibitzer-uci [arguments of `kibitzer uci`]

A tool that takes a bare path to an engine starts this program, too. The test needs the package
`chess`. The module raises or logs every violation by an engine: unknown infos, illegal lines,
unexpected answers. Both fail this test.
"""

import logging
import sys
import time

import chess
import chess.engine

# Without arguments a bare path, as most tools start an engine.
COMMAND = sys.argv[1:] if len(sys.argv) > 2 else sys.argv[1]

# Tolerated seconds past the clock, because a busy machine may suspend any program for a while.
# Matches on an idle machine test the clock.
MARGIN = 5.0


class ErrorCollector(logging.Handler):
    """Collects the log records of python-chess from the level warning up."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def start():
    return chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=30)


def plays_a_game_on_a_clock(engine):
    board = chess.Board()
    clock = {chess.WHITE: 5.0, chess.BLACK: 5.0}
    while not board.is_game_over(claim_draw=True) and board.ply() < 120:
        limit = chess.engine.Limit(
            white_clock=clock[chess.WHITE],
            black_clock=clock[chess.BLACK],
            white_inc=0.1,
            black_inc=0.1,
        )
        started = time.perf_counter()
        result = engine.play(board, limit, info=chess.engine.INFO_ALL, game="clock")
        clock[board.turn] += 0.1 - (time.perf_counter() - started)
        assert clock[board.turn] > -MARGIN, f"lost on time after {board.ply()} plies"
        clock[board.turn] = max(clock[board.turn], 0.1)
        assert result.move in board.legal_moves, f"{result.move} in {board.fen()}"
        assert "score" in result.info and result.info["pv"][0] == result.move, result.info
        board.push(result.move)
    print("  ", board.result(claim_draw=True), "after", board.ply(), "plies")


def ponders_on_the_opponents_time(engine):
    board = chess.Board()
    for _ in range(12):
        limit = chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1)
        result = engine.play(board, limit, ponder=True, game="ponder")
        board.push(result.move)
        if board.is_game_over():
            break
        # The opponent plays the expected move every other time.
        answers = list(board.legal_moves)
        hit = board.ply() % 4 == 1 and result.ponder in answers
        time.sleep(0.05)
        board.push(result.ponder if hit else answers[0])
        if board.is_game_over():
            break


def analyses_to_a_depth(engine):
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    info = engine.analyse(board, chess.engine.Limit(depth=8))
    assert info["score"].relative == chess.engine.Mate(1), info
    assert info["pv"][0] == chess.Move.from_uci("f3f7"), info
    info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=20_000))
    assert info["nodes"] <= 20_000 and info["depth"] >= 4, info
    info = engine.analyse(
        chess.Board(), chess.engine.Limit(depth=5), root_moves=[chess.Move.from_uci("a2a3")]
    )
    assert info["pv"][0] == chess.Move.from_uci("a2a3"), info
    checkmate = chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert engine.play(checkmate, chess.engine.Limit(depth=3)).move is None
    info = engine.analyse(checkmate, chess.engine.Limit(depth=3))
    assert info["score"].relative == chess.engine.Mate(0), info


def analyses_several_lines(engine):
    if "MultiPV" not in engine.options:
        print("   skipped: no MultiPV")
        return
    board = chess.Board("r1bq1rk1/p1pn1ppp/p3p3/3p4/1b1P4/2N1PN2/PPP2PPP/R1BQ1RK1 w - - 4 9")
    for count in (1, 3, 500):
        infos = engine.analyse(board, chess.engine.Limit(depth=6), multipv=min(count, 256))
        assert len(infos) == min(count, board.legal_moves.count()), (count, len(infos))
        first_moves = {info["pv"][0] for info in infos}
        assert len(first_moves) == len(infos), "two lines begin with the same move"
        scores = [info["score"].relative.score(mate_score=100_000) for info in infos]
        assert scores == sorted(scores, reverse=True), scores


def stops_an_infinite_analysis(engine):
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 6:
                break
        started = time.perf_counter()
        analysis.stop()
        best = analysis.wait()
        assert time.perf_counter() - started < 1
    assert best.move in chess.Board().legal_moves
    # The stop does not affect the next search.
    assert engine.analyse(chess.Board(), chess.engine.Limit(depth=4))["depth"] >= 4


def plays_chess960(engine):
    board = chess.Board.from_chess960_pos(159)
    for _ in range(60):
        if board.is_game_over(claim_draw=True):
            break
        board.push(engine.play(board, chess.engine.Limit(nodes=1_000), game="960").move)
    castling = chess.Board(
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960=True
    )
    for move in list(castling.legal_moves):
        after = castling.copy()
        after.push(move)
        engine.play(after, chess.engine.Limit(nodes=100), game=object())


def takes_every_option(engine):
    values = {
        "Hash": 8,
        "Threads": 2,
        "Move Overhead": 50,
        "UCI_AnalyseMode": True,
        "UCI_LimitStrength": True,
        "UCI_Elo": 1200,
    }
    # python-chess refuses values for the options that it manages.
    for name, value in values.items():
        if name in engine.options and not engine.options[name].is_managed():
            engine.configure({name: value})
    assert engine.play(chess.Board(), chess.engine.Limit(time=0.1)).move
    engine.ping()


CHECKS = [
    analyses_to_a_depth,
    analyses_several_lines,
    stops_an_infinite_analysis,
    plays_a_game_on_a_clock,
    ponders_on_the_opponents_time,
    plays_chess960,
    takes_every_option,
]


def main():
    errors = ErrorCollector()
    logging.getLogger("chess.engine").addHandler(errors)
    for check in CHECKS:
        print(check.__name__, flush=True)
        with start() as engine:
            check(engine)
        assert not errors.lines, errors.lines
    print("ok: python-chess", chess.__version__, "reports no errors")


main()
