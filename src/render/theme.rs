//! The colours of boards.

/// The colours of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
pub enum Theme {
    #[default]
    LichessBrown,
    LichessBlue,
    Wikipedia,
}

/// The colours of the squares in SVG.
#[derive(Clone, Copy, Debug)]
pub(super) struct SquareColors {
    pub(super) light: &'static str,
    pub(super) dark: &'static str,
    /// A light and a dark square of the last move.
    pub(super) light_moved: &'static str,
    pub(super) dark_moved: &'static str,
}

impl Theme {
    /// All themes.
    pub const ALL: &'static [Theme] = &[Theme::LichessBrown, Theme::LichessBlue, Theme::Wikipedia];

    /// The name in the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::LichessBrown => "lichess-brown",
            Theme::LichessBlue => "lichess-blue",
            Theme::Wikipedia => "wikipedia",
        }
    }

    pub(super) const fn squares(self) -> SquareColors {
        match self {
            Theme::LichessBrown => SquareColors {
                light: "#f0d9b5",
                dark: "#b58863",
                light_moved: "#ced26b",
                dark_moved: "#aaa23b",
            },
            Theme::LichessBlue => SquareColors {
                light: "#dee3e6",
                dark: "#8ca2ad",
                light_moved: "#c3d889",
                dark_moved: "#92b167",
            },
            Theme::Wikipedia => SquareColors {
                light: "#ffce9e",
                dark: "#d18b47",
                light_moved: "#cdd16a",
                dark_moved: "#aaa23b",
            },
        }
    }
}
