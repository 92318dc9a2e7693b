//! The graph of imports: which module uses which, with re-exports followed to where a name is
//! defined.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::source::{Module, ModulePath};

/// How many re-exports may follow one another.
const MAX_REEXPORTS: usize = 8;

/// Modules by path, and what each of them uses.
pub(crate) struct ImportGraph<'a> {
    modules: BTreeMap<&'a [String], &'a Module>,
    /// From the module that uses a name to the module that defines it, without uses of its own.
    pub(crate) imports: BTreeSet<(ModulePath, ModulePath)>,
}

impl<'a> ImportGraph<'a> {
    /// The graph of these modules.
    pub(crate) fn new(modules: &'a [Module]) -> ImportGraph<'a> {
        let by_path = modules.iter().map(|module| (module.path.as_slice(), module)).collect();
        let mut graph = ImportGraph { modules: by_path, imports: BTreeSet::new() };
        for module in modules {
            for used in &module.uses {
                let defined_in = graph.defining_module(used, MAX_REEXPORTS);
                if defined_in != module.path {
                    graph.imports.insert((module.path.clone(), defined_in));
                }
            }
        }
        graph
    }

    /// The module in which the last name of a path is defined.
    fn defining_module(&self, path: &[String], reexports_left: usize) -> ModulePath {
        let mut module = Vec::new();
        for (index, name) in path.iter().enumerate() {
            let current = self.modules.get(module.as_slice());
            if current.is_some_and(|here| here.children.contains(name)) {
                module.push(name.clone());
                continue;
            }
            if reexports_left > 0
                && let Some(source) = current.and_then(|here| self.reexport_source(here, name))
            {
                let whole: ModulePath = source.iter().chain(&path[index + 1..]).cloned().collect();
                return self.defining_module(&whole, reexports_left - 1);
            }
            break;
        }
        // An inline module counts as the file that it stands in.
        while !module.is_empty() && !self.modules.contains_key(module.as_slice()) {
            module.pop();
        }
        module
    }

    /// Where a module takes a name from that it hands on. A name from another layer counts as the
    /// module's own: re-exports belong to what a layer offers.
    fn reexport_source(&self, module: &Module, name: &str) -> Option<ModulePath> {
        let in_same_layer = |source: &&ModulePath| source.first() == module.path.first();
        if let Some(source) = module.reexports.get(name).filter(in_same_layer) {
            return Some(source.clone());
        }
        let globs = module.glob_reexports.iter().filter(in_same_layer);
        let with_name = globs.map(|glob| glob.iter().cloned().chain([name.to_owned()]).collect());
        with_name.into_iter().find(|path: &ModulePath| self.defining_module(path, 1) != module.path)
    }

    /// Groups of files that import each other in a circle.
    pub(crate) fn cycles_of_files(&self) -> Vec<Vec<String>> {
        let edges = self.imports.iter().map(|(from, to)| (from.join("::"), to.join("::")));
        cycles(&edges.collect())
    }

    /// Groups of modules with one parent that import each other in a circle, each taken together
    /// with everything below it.
    pub(crate) fn cycles_of_siblings(&self) -> Vec<Vec<String>> {
        let siblings = self.imports.iter().filter_map(|(from, to)| {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let both_below = from.len() > common && to.len() > common;
            both_below.then(|| (from[..=common].join("::"), to[..=common].join("::")))
        });
        cycles(&siblings.collect())
    }
}

/// The strongly connected components of more than one node.
fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
    let edges = edges.iter().map(|(from, to)| (from.as_str(), to.as_str()));
    let graph: DiGraphMap<&str, ()> = DiGraphMap::from_edges(edges);
    let mut cycles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| component.into_iter().map(str::to_owned).collect())
        .collect();
    for cycle in &mut cycles {
        cycle.sort();
    }
    cycles.sort();
    cycles
}
