//! Comment commands: `[%clk 1:23:45]`, `[%eval -0.34]`.
//!
//! ChessBase introduced them; the forms are those that Lichess writes.

use std::ops::Range;

/// An evaluation in a comment, from White's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PgnEval {
    /// Centipawns.
    Cp(i32),
    /// Mate in this number of moves; negative when White is mated.
    Mate(i32),
}

impl PgnEval {
    /// Parses `0.34`, `-1.2,18` (with a depth), `#3` or `#-3`.
    pub fn parse(text: &str) -> Option<PgnEval> {
        let score = text.split(',').next()?.trim();
        if let Some(moves) = score.strip_prefix('#') {
            return moves.parse().ok().map(PgnEval::Mate);
        }
        let pawns: f64 = score.parse().ok()?;
        // No engine reports a greater value. The condition also rejects NaN.
        (pawns.abs() <= 10_000.0).then(|| PgnEval::Cp((100.0 * pawns).round() as i32))
    }

    /// The text for a command: `0.34`, `#-3`.
    pub fn to_text(self) -> String {
        match self {
            PgnEval::Cp(value) => {
                let sign = if value < 0 { "-" } else { "" };
                format!("{sign}{}.{:02}", value.unsigned_abs() / 100, value.unsigned_abs() % 100)
            }
            PgnEval::Mate(moves) => format!("#{moves}"),
        }
    }
}

/// The value of the first command with a name: `0:01:00` for `[%clk 0:01:00]` and `clk`.
pub fn command_value<'a>(comment: &'a str, name: &str) -> Option<&'a str> {
    find_command(comment, name).map(|(_, value)| value)
}

/// A comment without all commands that have a name.
pub fn without_command(comment: &str, name: &str) -> String {
    let mut kept = String::with_capacity(comment.len());
    let mut rest = comment;
    while let Some((range, _)) = find_command(rest, name) {
        kept.push_str(rest[..range.start].trim_end());
        rest = &rest[range.end..];
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// The evaluation that a comment states.
pub fn comment_eval(comment: &str) -> Option<PgnEval> {
    PgnEval::parse(command_value(comment, "eval")?)
}

/// The time on the player's clock that a comment states, in milliseconds.
pub fn comment_clock_ms(comment: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in command_value(comment, "clk")?.split(':') {
        let part: f64 = part.parse().ok().filter(|value: &f64| (0.0..1e6).contains(value))?;
        seconds = 60.0 * seconds + part;
    }
    Some((1000.0 * seconds).round() as u64)
}

/// The byte range and the value of the first command with a name. If a bracket opens inside another
/// one, the inner one is the command.
fn find_command<'a>(comment: &'a str, name: &str) -> Option<(Range<usize>, &'a str)> {
    let mut end = 0;
    for part in comment.split_inclusive(']') {
        let start = end;
        end += part.len();
        if let Some(bracket) = part.rfind("[%")
            && let Some(value) =
                part[bracket + 2..].strip_suffix(']').and_then(|inside| inside.strip_prefix(name))
            && value.starts_with([' ', '\t'])
        {
            return Some((start + bracket..end, value.trim()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_between_other_commands_and_text() {
        let comment = "good [%eval -0.34] [%clk 1:02:03.5] move";
        assert_eq!(comment_eval(comment), Some(PgnEval::Cp(-34)));
        assert_eq!(comment_clock_ms(comment), Some(3_723_500));
        assert_eq!(command_value(comment, "emt"), None);
        assert_eq!(command_value("[%clk", "clk"), None);
        assert_eq!(command_value("[%clkx 1]", "clk"), None);
        assert_eq!(command_value("[%clk 1 [%clk 2] 3]", "clk"), Some("2"));
        assert_eq!(without_command(comment, "eval"), "good [%clk 1:02:03.5] move");
        assert_eq!(without_command("[%eval 1.0] x [%eval 2.0]", "eval"), "x");
    }

    #[test]
    fn evaluations_are_read_and_written() {
        for (text, eval) in
            [("0.34", PgnEval::Cp(34)), ("-0.05", PgnEval::Cp(-5)), ("#3", PgnEval::Mate(3))]
        {
            assert_eq!(PgnEval::parse(text), Some(eval));
            assert_eq!(eval.to_text(), text);
        }
        assert_eq!(PgnEval::parse("+1.2,18"), Some(PgnEval::Cp(120)));
        assert_eq!(PgnEval::Mate(-2).to_text(), "#-2");
        for nonsense in ["", "NaN", "inf", "1e300", "#", "#x", "one"] {
            assert_eq!(PgnEval::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn clocks_without_hours_count_from_the_right() {
        assert_eq!(comment_clock_ms("[%clk 1:30]"), Some(90_000));
        assert_eq!(comment_clock_ms("[%clk 45.25]"), Some(45_250));
        assert_eq!(comment_clock_ms("[%clk -1:00]"), None);
        assert_eq!(comment_clock_ms("[%clk 1e999]"), None);
    }
}
