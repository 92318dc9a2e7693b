//! Just enough of a reader of Rust to see which paths a file names.

use std::collections::BTreeSet;
use std::path::Path;

/// A source file with its comments and the insides of its literals taken out.
pub(crate) struct SourceFile {
    /// The path below `src/`, with `/` between the parts.
    pub(crate) path: String,
    code: String,
}

impl SourceFile {
    /// A file of this path and text.
    pub(crate) fn new(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), code: without_comments_and_literals(text) }
    }

    /// Every `.rs` file below a folder.
    pub(crate) fn all_under(folder: &Path) -> Vec<SourceFile> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(&next).expect("a readable folder") {
                let path = entry.expect("a readable entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = std::fs::read_to_string(&path).expect("UTF-8");
                    let parts: Vec<_> =
                        path.strip_prefix(folder).expect("below the folder").iter().collect();
                    let parts: Vec<_> = parts.iter().map(|part| part.to_string_lossy()).collect();
                    files.push(SourceFile::new(&parts.join("/"), &text));
                }
            }
        }
        files
    }

    /// The room that the file belongs to: the folder or file directly under `src/`.
    pub(crate) fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// How many `super` lead from this file's module to the crate's root.
    fn depth(&self) -> usize {
        let parts = self.path.split('/').count();
        if self.path.ends_with("/mod.rs") { parts - 1 } else { parts }
    }

    /// The first names of all paths that start at the crate's root; `*` for a glob.
    ///
    /// How deep inline modules lie is not known here, so a chain of `super`s that may end at the
    /// root counts only where the name of a room follows.
    pub(crate) fn rooms_seen(&self, is_room: fn(&str) -> bool) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        for (start, word) in words(&self.code) {
            let rest = &self.code[start + word.len()..];
            match word {
                "crate" => seen.extend(after_colons(rest).map(first_names).unwrap_or_default()),
                "super" if !self.code[..start].trim_end().ends_with("::") => {
                    let (ups, rest) = supers(rest);
                    let names = after_colons(rest).map(first_names).unwrap_or_default();
                    seen.extend(
                        names.into_iter().filter(|name| ups >= self.depth() && is_room(name)),
                    );
                }
                _ => {}
            }
        }
        seen
    }

    /// `true` when the code names a package: as the start of a path, or imported whole.
    pub(crate) fn names_package(&self, package: &str) -> bool {
        words(&self.code).any(|(start, word)| {
            let before = self.code[..start].trim_end();
            let after = self.code[start + word.len()..].trim_start();
            let starts_a_path = !before.ends_with("::") && after.starts_with("::");
            let imported_whole =
                before.ends_with("use") && (after.starts_with(';') || after.starts_with("as "));
            word == package && (starts_a_path || imported_whole)
        })
    }

    /// `true` when the code holds these characters where a word starts.
    pub(crate) fn names(&self, text: &str) -> bool {
        self.code.match_indices(text).any(|(start, _)| {
            let before = self.code[..start].chars().next_back();
            !before.is_some_and(is_word)
        })
    }
}

/// The packages of the manifest's `[dependencies]`, as code spells them.
pub(crate) fn dependencies(manifest: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().replace('-', "_"))
        .collect()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// All words of the code with the places where they start.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut place = 0;
    code.split_inclusive(|letter| !is_word(letter)).filter_map(move |piece| {
        let start = place;
        place += piece.len();
        let word = piece.trim_end_matches(|letter| !is_word(letter));
        (!word.is_empty()).then_some((start, word))
    })
}

fn after_colons(code: &str) -> Option<&str> {
    code.trim_start().strip_prefix("::").map(str::trim_start)
}

/// How many `super`s stand here, the one just read included, and what follows them.
fn supers(mut rest: &str) -> (usize, &str) {
    let mut ups = 1;
    while let Some(more) = after_colons(rest).and_then(|rest| rest.strip_prefix("super")) {
        rest = more;
        ups += 1;
    }
    (ups, rest)
}

/// The names at the start of a path or of every branch of a `{…}` group.
fn first_names(code: &str) -> Vec<String> {
    let name = |code: &str| match code.trim_start() {
        code if code.starts_with('*') => Some("*".to_owned()),
        code => Some(code.chars().take_while(|&letter| is_word(letter)).collect())
            .filter(|name: &String| !name.is_empty()),
    };
    let Some(group) = code.strip_prefix('{') else { return name(code).into_iter().collect() };
    let mut depth = 1;
    let mut branches = vec![String::new()];
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (depth, letter) {
            (0, _) => break,
            (1, ',') => branches.push(String::new()),
            _ => branches.last_mut().expect("never empty").push(letter),
        }
    }
    branches.iter().filter_map(|branch| name(branch)).collect()
}

/// Blanks comments and the insides of strings and characters, so that only code is left.
fn without_comments_and_literals(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(hashes) =
            raw_string(rest).filter(|_| !code.chars().next_back().is_some_and(is_word))
        {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = rest.find('"').map_or(rest.len(), |quote| quote + 1);
            rest[start..].find(&end).map_or(rest.len(), |found| start + found + end.len())
        } else if letter == '"' {
            quoted(rest, '"')
        } else if letter == '\'' && is_character(rest) {
            quoted(rest, '\'')
        } else {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

/// The length of a block comment, nested ones included.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut place = 0;
    while place < text.len() {
        let rest = &text[place..];
        if rest.starts_with("/*") {
            depth += 1;
            place += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            place += 2;
            if depth == 0 {
                return place;
            }
        } else {
            place += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The number of hashes when a raw string starts here.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = rest.chars().take_while(|&letter| letter == '#').count();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// `true` for a character literal, `false` for a lifetime.
fn is_character(text: &str) -> bool {
    let mut letters = text.chars().skip(1);
    match letters.next() {
        Some('\\') => true,
        Some(_) => letters.next() == Some('\''),
        None => false,
    }
}

/// The length of a literal between quotes, escapes heeded.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return place + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
