//! The lines of streams as schemas with names of their own: `InfoLine`, `EndLine`, `JobMoveLine`.
//! Generated clients name a type after its schema and have no good name for a part of a union.

use std::collections::BTreeMap;

use utoipa::openapi::schema::{AllOf, AllOfBuilder, Schema};
use utoipa::openapi::{Object, ObjectBuilder, OpenApi, Ref, RefOr};
use utoipa::{Modify, ToSchema};

use crate::http::problem::ProblemDocument;
use crate::http::schema::string_enum;

/// The schemas of stream lines, each with the prefix of the names of its lines.
const STREAMS: [(&str, &str); 2] = [("StreamLine", ""), ("JobLine", "Job")];

/// The name of the line that both streams can end with.
const PROBLEM_LINE: &str = "ProblemLine";

/// Replaces every kind of line by a reference to a schema with a name.
pub(super) struct LineSchemas;

impl Modify for LineSchemas {
    fn modify(&self, contract: &mut OpenApi) {
        let Some(components) = contract.components.as_mut() else { return };
        let mut lines = BTreeMap::new();
        for (stream, prefix) in STREAMS {
            if let Some(RefOr::T(Schema::OneOf(stream))) = components.schemas.get_mut(stream) {
                for kind in &mut stream.items {
                    name_line(kind, prefix, &mut lines);
                }
            }
        }
        if let Some(RefOr::T(Schema::Object(problem))) =
            components.schemas.get(&*ProblemDocument::name())
        {
            lines.insert(PROBLEM_LINE.to_owned(), Schema::Object(problem_line(problem)).into());
        }
        components.schemas.append(&mut lines);
    }
}

/// Moves one kind of line into `lines` and leaves a reference.
fn name_line(kind: &mut RefOr<Schema>, prefix: &str, lines: &mut BTreeMap<String, RefOr<Schema>>) {
    let RefOr::T(Schema::AllOf(parts)) = kind else { return };
    let Some((content, tag)) = parts_of(parts) else { return };
    let name = if content.ref_location.ends_with(&format!("/{}", ProblemDocument::name())) {
        PROBLEM_LINE.to_owned()
    } else {
        let line = AllOfBuilder::new()
            .item(Ref::new(content.ref_location.clone()))
            .item(tagged(ObjectBuilder::new().build(), &tag))
            .description(parts.description.clone());
        let name = format!("{prefix}{}Line", capitalized(&tag));
        lines.insert(name.clone(), Schema::AllOf(line.build()).into());
        name
    };
    *kind = Ref::from_schema_name(name).into();
}

/// The schema of the content of a line, and the value of its member `type`.
fn parts_of(parts: &AllOf) -> Option<(&Ref, String)> {
    let [RefOr::Ref(content), RefOr::T(Schema::Object(tag))] = parts.items.as_slice() else {
        return None;
    };
    let Some(RefOr::T(Schema::Object(name))) = tag.properties.get("type") else { return None };
    let name = name.enum_values.as_ref()?.first()?.as_str()?;
    Some((content, name.to_owned()))
}

/// A problem in a stream. The type of the line takes the place of the problem's `type`.
fn problem_line(problem: &Object) -> Object {
    let mut line = tagged(problem.clone(), "problem");
    let description = "The last line of a stream that failed on the server: a problem document \
        whose `type` is the type of the line.";
    line.description = Some(description.to_owned());
    line
}

/// Sets the member `type` of a line.
fn tagged(mut line: Object, tag: &str) -> Object {
    let schema = string_enum("The kind of line.", []).enum_values(Some([tag])).build();
    line.properties.insert("type".to_owned(), schema.into());
    if !line.required.iter().any(|name| name == "type") {
        line.required.push("type".to_owned());
    }
    line
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
