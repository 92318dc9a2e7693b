//! The modules of `src/` and the paths that their code names, read with `syn`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

/// A path of names from the crate's root, without `crate`.
pub(crate) type ModulePath = Vec<String>;

/// One source file: a module with the names it defines, hands on and uses. Code under
/// `#[cfg(test)]` is left out.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Where the module is in the crate; empty for the root.
    pub(crate) path: ModulePath,
    /// The modules that it declares, in files or inline.
    pub(crate) children: BTreeSet<String>,
    /// Names that it hands on with `pub use` and the like, by the path that they come from.
    pub(crate) reexports: BTreeMap<String, ModulePath>,
    /// Paths whose names it hands on with `pub use path::*`.
    pub(crate) glob_reexports: Vec<ModulePath>,
    /// Paths inside the crate that its code names.
    pub(crate) uses: BTreeSet<ModulePath>,
    /// Other paths, such as `std::env::var`, and the macros that its code calls, such as
    /// `println!`.
    pub(crate) external_paths: BTreeSet<String>,
    /// Files of child modules that are only for tests.
    test_modules: BTreeSet<String>,
}

impl Module {
    /// Reads the module of this path from its source.
    ///
    /// # Panics
    /// When the source is not Rust.
    pub(crate) fn parse(path: &[&str], text: &str) -> Module {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let path: ModulePath = path.iter().map(|&name| name.to_owned()).collect();
        let mut module = Module { path: path.clone(), ..Module::default() };
        module.declare(&file.items);
        let mut reader = PathCollector { module: &mut module, scope: path };
        reader.visit_file(&file);
        module
    }

    /// Notes what the module declares before its paths are read: a name may be used above it.
    fn declare(&mut self, items: &[Item]) {
        for item in items {
            let Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            if is_for_tests(&child.attrs) {
                self.test_modules.insert(name);
            } else {
                self.children.insert(name);
            }
        }
    }

    /// Every module of the crate with this root file, such as `src/lib.rs`, without those for
    /// tests.
    ///
    /// # Panics
    /// When a file that is declared cannot be read.
    pub(crate) fn all_under(root_file: &Path) -> Vec<Module> {
        let folder = root_file.parent().unwrap_or(Path::new("."));
        let mut modules = Vec::new();
        let mut to_read = vec![(Vec::new(), root_file.to_owned())];
        while let Some((path, file)) = to_read.pop() {
            let text = std::fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            let module = Module::parse(&names, &text);
            for child in &module.children {
                let path: ModulePath = path.iter().chain([child]).cloned().collect();
                let file = folder.join(path.join("/")).with_extension("rs");
                // A module without a file stands inline in its parent's.
                if file.exists() {
                    to_read.push((path, file));
                }
            }
            modules.push(module);
        }
        modules.sort_by(|a, b| a.path.cmp(&b.path));
        modules
    }

    /// The layer: the module directly under the crate's root.
    pub(crate) fn layer(&self) -> &str {
        self.path.first().map_or("lib", String::as_str)
    }

    /// The module as code spells it.
    pub(crate) fn name(&self) -> String {
        self.path.join("::")
    }
}

/// Collects the paths of one file.
struct PathCollector<'a> {
    module: &'a mut Module,
    /// The module that the code being read stands in: the file's, or an inline one.
    scope: ModulePath,
}

impl PathCollector<'_> {
    /// Notes a path that starts in the scope's module.
    fn record_path(&mut self, names: &[String]) {
        match self.absolute(names) {
            Some(path) => {
                self.module.uses.insert(path);
            }
            None => {
                self.module.external_paths.insert(names.join("::"));
            }
        }
    }

    /// The path from the crate's root; `None` for one that begins outside the crate.
    fn absolute(&self, names: &[String]) -> Option<ModulePath> {
        let (first, mut rest) = names.split_first()?;
        let mut path = self.scope.clone();
        match first.as_str() {
            "crate" => path.clear(),
            "self" => {}
            "super" => {
                path.pop();
                while let Some((next, after)) = rest.split_first()
                    && next == "super"
                {
                    path.pop();
                    rest = after;
                }
            }
            name => {
                let known = self.module.children.contains(name);
                if let Some(source) = self.module.reexports.get(name) {
                    return Some(source.iter().chain(rest).cloned().collect());
                }
                if !known {
                    return None;
                }
                path.clone_from(&self.module.path);
                path.push(name.to_owned());
            }
        }
        path.extend(rest.iter().cloned());
        Some(path)
    }

    /// Notes every path that stands in the tokens of a macro call.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.flush(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.flush(&mut path);
                    self.read_tokens(group.stream());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == '!' && !path.is_empty() => {
                    self.module.external_paths.insert(format!("{}!", path.join("::")));
                    path.clear();
                    colons = 0;
                }
                _ => {
                    self.flush(&mut path);
                    colons = 0;
                }
            }
        }
        self.flush(&mut path);
    }

    fn flush(&mut self, path: &mut Vec<String>) {
        // A keyword alone, as in `pub(crate)`, is no import.
        let is_keyword = matches!(path.as_slice(), [name] if name == "crate" || name == "super");
        if !path.is_empty() && !is_keyword {
            self.record_path(path);
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for PathCollector<'_> {
    fn visit_file(&mut self, file: &'ast syn::File) {
        // What is handed on comes first: code above may use it.
        for item in &file.items {
            if let Item::Use(item) = item
                && !is_for_tests(&item.attrs)
                && !matches!(item.vis, Visibility::Inherited)
            {
                for (alias, path) in use_leaves(item) {
                    let Some(path) = self.absolute(&path) else { continue };
                    match alias.as_str() {
                        "*" => self.module.glob_reexports.push(path),
                        _ => drop(self.module.reexports.insert(alias, path)),
                    }
                }
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() {
            self.scope.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.scope.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        for (_, path) in use_leaves(item) {
            let inside = self.absolute(&path).is_some();
            if !(is_reexport && inside) {
                self.record_path(&path);
            }
        }
    }

    /// `pub(crate)` and `pub(in path)` are no imports.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|name| name.ident.to_string()).collect();
        self.record_path(&names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.segments.last() {
            self.module.external_paths.insert(format!("{}!", name.ident));
        }
        self.visit_path(&call.path);
        self.read_tokens(call.tokens.clone());
    }
}

/// Every name that a `use` brings in, with its whole path; `*` for a glob.
fn use_leaves(item: &ItemUse) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<String>, &UseTree)> = vec![(Vec::new(), &item.tree)];
    while let Some((mut path, tree)) = open.pop() {
        match tree {
            UseTree::Path(step) => {
                path.push(step.ident.to_string());
                open.push((path, &step.tree));
            }
            UseTree::Group(group) => {
                open.extend(group.items.iter().map(|tree| (path.clone(), tree)));
            }
            UseTree::Glob(_) => found.push(("*".to_owned(), path)),
            UseTree::Name(leaf) => found.push(leaf_of(path, &leaf.ident, &leaf.ident)),
            UseTree::Rename(leaf) => found.push(leaf_of(path, &leaf.ident, &leaf.rename)),
        }
    }
    found
}

fn leaf_of(mut path: Vec<String>, name: &syn::Ident, alias: &syn::Ident) -> (String, Vec<String>) {
    if name == "self" {
        let alias = if alias == "self" { path.last().cloned() } else { Some(alias.to_string()) };
        return (alias.unwrap_or_default(), path);
    }
    path.push(name.to_string());
    (alias.to_string(), path)
}

/// `true` for code that stands under `#[cfg(test)]`, alone or within `any` and `all`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let text = list.tokens.to_string();
        text == "test" || text.starts_with("all (test") || text.starts_with("any (test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The packages of the manifest's `[dependencies]`, as code spells them.
pub(crate) fn dependencies(manifest: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    names.map(|name| name.trim().replace('-', "_")).collect()
}
