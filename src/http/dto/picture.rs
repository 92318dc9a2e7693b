//! The picture of a board in a request.

use std::str::FromStr;

use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, Type};

use super::PositionRequest;
use crate::chess::{Color, Game, Square, excerpt};
use crate::http::json::{FromValue, JsonPath, JsonValue, Members, Named, NumberIn, request};
use crate::http::problem::{InvalidMember, MemberErrorCode, Problem};
use crate::render::{Arrow, MarkedMove, Picture, PictureSize, Theme};

const MIN_SIZE: u64 = PictureSize::MIN as u64;
const MAX_SIZE: u64 = PictureSize::MAX as u64;

/// The most arrows of a picture, which bounds the time of a drawing.
const MAX_ARROWS: usize = 64;

request! {
    /// The board to draw, and what to mark on it.
    #[derive(Clone, Debug)]
    #[validate(check_arrow_count(arrows))]
    pub(crate) struct PictureRequest as "PictureRequest" {
        flatten position: PositionRequest,
        /// The player at the bottom.
        optional orientation: Color = "white",
        /// Width and height, in pixels.
        optional size: NumberIn<MIN_SIZE, MAX_SIZE> = 360,
        /// The last move in UCI, whose squares get another colour: `e2e4`. Empty for none. Without
        /// this parameter it is the last one of `moves`, if there is any.
        optional last_move as "lastMove": Mark<MarkedMove>,
        /// The square of a king in check, which becomes red: `e1`. Empty for none. Without this
        /// parameter it is that of the king in check after `moves`, if there are any.
        optional check: Mark<Square>,
        /// Arrows from square to square, and circles around a square: `Ge6g8,Bh7`, at most 64. The
        /// first letter is the colour: `G` green, `R` red, `Y` yellow, `B` blue. Without it they
        /// are green.
        defaulted arrows: Vec<Arrow>,
        /// Squares with a cross: `a3,c3`.
        defaulted squares: Vec<Square>,
        /// Shows the names of files and ranks in a margin.
        defaulted coordinates: bool,
        /// The colours of the squares.
        optional colors: Theme = "lichess-brown",
    }
}

fn check_arrow_count(members: &mut Members<'_>, arrows: Option<&Vec<Arrow>>) {
    let count = arrows.map_or(0, Vec::len);
    if count > MAX_ARROWS {
        let detail = format!("arrows has {count} entries; at most {MAX_ARROWS} are allowed");
        members.add_error(MemberErrorCode::OutOfRange, "arrows", detail);
    }
}

impl PictureRequest {
    /// The picture.
    ///
    /// # Errors
    /// Fails with `invalid_fen` or `illegal_move`.
    pub(crate) fn picture(self) -> Result<Picture, Problem> {
        let mut picture = match self.position.setup_without_moves() {
            Some(setup) => Picture::new(setup?.board),
            None => picture_after_moves(&self.position.resolve()?.game),
        };
        picture.orientation = self.orientation.unwrap_or(Color::White);
        let pixels = self.size.and_then(|size| u16::try_from(size.get()).ok());
        picture.size = pixels.and_then(PictureSize::new).unwrap_or_default();
        if let Some(Mark(last_move)) = self.last_move {
            picture.last_move = last_move;
        }
        if let Some(Mark(check)) = self.check {
            picture.check = check;
        }
        picture.arrows = self.arrows;
        picture.squares = self.squares.into_iter().collect();
        picture.coordinates = self.coordinates;
        picture.theme = self.colors.unwrap_or_default();
        Ok(picture)
    }
}

/// The picture of a position that shows the move which led to it, if it is known.
fn picture_after_moves(game: &Game) -> Picture {
    let position = game.position();
    let mut picture = Picture::new(position.to_setup().board);
    if let Some(&last) = game.moves().last() {
        picture.last_move = Some(MarkedMove::of_move(last, !position.turn()));
        picture.check = position.checked_king();
    }
    picture
}

/// Something that a picture marks, or nothing: an empty text.
#[derive(Clone, Copy, Debug)]
struct Mark<T>(Option<T>);

impl<'a, T: MarkText> FromValue<'a> for Mark<T> {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Mark<T>> {
        let text = String::read(value, path, errors)?;
        if text.is_empty() {
            return Some(Mark(None));
        }
        T::read_text(&text, path, errors).map(|mark| Mark(Some(mark)))
    }

    fn schema() -> Schema {
        pattern(&format!("^({})?$", T::PATTERN))
    }
}

/// A mark that a request names by a short text.
trait MarkText: FromStr {
    /// The texts as a regular expression.
    const PATTERN: &'static str;
    /// The texts in words.
    const ALLOWED: &'static str;

    fn read_text(text: &str, path: JsonPath<'_>, errors: &mut Vec<InvalidMember>) -> Option<Self> {
        let mark = text.parse().ok();
        if mark.is_none() {
            let detail = format!("{path} is {:?}; it must be {}", excerpt(text), Self::ALLOWED);
            path.add_error(errors, MemberErrorCode::UnknownValue, detail);
        }
        mark
    }
}

impl MarkText for MarkedMove {
    const PATTERN: &'static str = "([a-h][1-8]){2}[nbrq]?";
    const ALLOWED: &'static str = "a move in UCI, such as e2e4";
}

impl MarkText for Square {
    const PATTERN: &'static str = "[a-h][1-8]";
    const ALLOWED: &'static str = "a square from a1 to h8";
}

impl MarkText for Arrow {
    const PATTERN: &'static str = "[GRYB]?([a-h][1-8]){1,2}";
    const ALLOWED: &'static str =
        "one or two squares after a colour (G, R, Y, B or none), such as Ge6g8 or h7";
}

impl<'a> FromValue<'a> for Square {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Square> {
        Square::read_text(&String::read(value, path, errors)?, path, errors)
    }

    fn schema() -> Schema {
        pattern(&format!("^{}$", Square::PATTERN))
    }
}

impl<'a> FromValue<'a> for Arrow {
    fn read(
        value: JsonValue<'a>,
        path: JsonPath<'_>,
        errors: &mut Vec<InvalidMember>,
    ) -> Option<Arrow> {
        Arrow::read_text(&String::read(value, path, errors)?, path, errors)
    }

    fn schema() -> Schema {
        pattern(&format!("^{}$", Arrow::PATTERN))
    }
}

fn pattern(pattern: &str) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
}

impl Named for Color {
    const ALL: &'static [Color] = &Color::ALL;

    fn name(self) -> &'static str {
        Color::name(self)
    }
}

impl Named for Theme {
    const ALL: &'static [Theme] = Theme::ALL;

    fn name(self) -> &'static str {
        Theme::name(self)
    }
}
