//! The members of a request: the macro [`request!`] declares them, and [`Members`] reads them one
//! by one. Reading continues after an error, so that all errors of a request are known at the end.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{AdditionalProperties, Schema, Type};
use utoipa::openapi::{Object, ObjectBuilder, RefOr, Required};

use super::from_value::{FromValue, JsonPath, MAX_ERRORS, wrong_type};
use super::suggestions::{allowed_members, member_suggestion};
use super::value::JsonValue;
use crate::chess::excerpt;
use crate::http::problem::{InvalidMember, MemberErrorCode};
use crate::http::schema::string_enum;

/// A request that can be read from the members of a JSON object.
pub(crate) trait FromMembers: Sized {
    /// Reads the members of the request; `None` if a required member is missing or invalid. Every
    /// error has then been added to `members`, also those of other members.
    fn read(members: &mut Members<'_>) -> Option<Self>;
}

/// The unread members of a request, or of an object within it, and the errors found so far.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    /// The path of the object within the request; `None` for the request itself.
    parent: Option<&'a JsonPath<'a>>,
    is_object: bool,
    unread: Vec<(Cow<'a, str>, JsonValue<'a>)>,
    /// The names of the members that were read, present or not.
    known: Vec<&'static str>,
    errors: Vec<InvalidMember>,
    max_moves: usize,
    /// Whether an error may name the route that an unknown member belongs to.
    suggests_routes: bool,
}

/// The number of members of the largest request.
const MAX_KNOWN_MEMBERS: usize = 20;

/// The maximum number of unknown members with a suggestion, since each is compared with all names.
const MAX_SUGGESTIONS: usize = 8;

impl<'a> Members<'a> {
    /// Takes the members of an object. Any other value is an error, which calls the value `name`.
    pub(crate) fn new(name: &str, value: JsonValue<'a>, max_moves: usize) -> Members<'a> {
        let members = Members::of_object(JsonPath::Whole(name), value);
        Members { max_moves, suggests_routes: true, ..members }
    }

    /// Takes the members of an object within a request.
    fn nested(path: &'a JsonPath<'a>, value: JsonValue<'a>) -> Members<'a> {
        Members { parent: Some(path), ..Members::of_object(*path, value) }
    }

    fn of_object(path: JsonPath<'_>, value: JsonValue<'a>) -> Members<'a> {
        let mut errors = Vec::new();
        let (is_object, unread) = match value {
            JsonValue::Object(members) => (true, members),
            other => {
                wrong_type::<()>(&mut errors, path, "an object", &other);
                (false, Vec::new())
            }
        };
        let known = Vec::with_capacity(MAX_KNOWN_MEMBERS);
        Members {
            parent: None,
            is_object,
            unread,
            known,
            errors,
            max_moves: 0,
            suggests_routes: false,
        }
    }

    /// Names no routes in errors, because the request has none: it is a message.
    pub(crate) fn suggest_no_routes(&mut self) {
        self.suggests_routes = false;
    }

    /// The maximum length of `moves`.
    pub(crate) fn max_moves(&self) -> usize {
        self.max_moves
    }

    /// Whether the member is present and unread.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.unread.iter().any(|(other, _)| other == name)
    }

    /// Adds an error if a member is missing.
    pub(crate) fn require(&mut self, name: &str) {
        if !self.has(name) && self.is_object() {
            let detail = format!("{} is missing", self.path_of(name));
            self.add_error(MemberErrorCode::Missing, name, detail);
        }
    }

    /// Adds an error if a member is present that this request does not take.
    pub(crate) fn refuse(&mut self, name: &str, detail: &str) {
        if self.take(name).is_some() {
            self.add_error(MemberErrorCode::UnknownMember, name, detail.to_owned());
        }
    }

    /// Reads an optional member.
    pub(crate) fn optional<T: FromValue<'a>>(&mut self, name: &'static str) -> Option<T> {
        self.valid_or_absent(name)?
    }

    /// Reads an optional member: `Some(None)` if it is absent, `None` if it is invalid.
    pub(crate) fn valid_or_absent<T: FromValue<'a>>(
        &mut self,
        name: &'static str,
    ) -> Option<Option<T>> {
        self.known.push(name);
        if T::IS_LIST {
            self.join_repeated_parameters(name);
        }
        let path = self.path_of(name);
        match self.take(name) {
            Some(value) => T::read(value, path, &mut self.errors).map(Some),
            None => Some(None),
        }
    }

    /// Reads a required member.
    pub(crate) fn required<T: FromValue<'a>>(&mut self, name: &'static str) -> Option<T> {
        self.require(name);
        self.optional(name)
    }

    /// Adds an error of the member `name`.
    pub(crate) fn add_error(&mut self, code: MemberErrorCode, name: &str, detail: String) {
        self.path_of(name).add_error(&mut self.errors, code, detail);
    }

    /// Adds an error of the member `name` of the object `object`, which is a member.
    pub(crate) fn add_nested_error(
        &mut self,
        code: MemberErrorCode,
        object: &str,
        name: &str,
        detail: String,
    ) {
        let object = self.path_of(object);
        JsonPath::Field(&object, name).add_error(&mut self.errors, code, detail);
    }

    fn path_of<'n>(&self, name: &'n str) -> JsonPath<'n>
    where
        'a: 'n,
    {
        match self.parent {
            Some(object) => JsonPath::Field(object, name),
            None => JsonPath::Member(name),
        }
    }

    /// Ignores all unread members.
    pub(crate) fn ignore_rest(&mut self) {
        self.unread.clear();
    }

    /// The first [`MAX_ERRORS`] errors. Each unread member counts as unknown. The first one without
    /// a suggestion names the allowed members.
    pub(crate) fn into_errors(mut self) -> Vec<InvalidMember> {
        let unknown = std::mem::take(&mut self.unread).into_iter().take(MAX_ERRORS);
        let mut names_allowed = false;
        for (index, (name, _)) in unknown.enumerate() {
            let mut suggestion = if index < MAX_SUGGESTIONS {
                member_suggestion(&name, &self.known, self.suggests_routes)
            } else {
                String::new()
            };
            if suggestion.is_empty() && !names_allowed {
                suggestion = allowed_members(&self.known);
                names_allowed = true;
            }
            let of_object = self.parent.map(|path| format!(" of {path}")).unwrap_or_default();
            let detail =
                format!("{:?} is not a known member{of_object}{suggestion}", excerpt(&name));
            self.add_error(MemberErrorCode::UnknownMember, &name, detail);
        }
        self.errors
    }

    /// Whether the value is an object. If it is not, no member is reported as missing.
    pub(crate) fn is_object(&self) -> bool {
        self.is_object
    }

    /// Joins the values of a query parameter that is given more than once.
    fn join_repeated_parameters(&mut self, name: &str) {
        let is_repeated = |(other, value): &(Cow<'_, str>, JsonValue<'_>)| {
            other == name && matches!(value, JsonValue::QueryText(_))
        };
        if self.unread.iter().filter(|member| is_repeated(member)).count() < 2 {
            return;
        }
        let mut texts = Vec::new();
        self.unread.retain_mut(|(other, value)| match value {
            JsonValue::QueryText(text) if other == name => {
                texts.push(std::mem::take(text));
                false
            }
            _ => true,
        });
        texts.retain(|text| !text.trim_matches(' ').is_empty());
        let joined = JsonValue::QueryText(Cow::Owned(texts.join(",")));
        self.unread.push((Cow::Owned(name.to_owned()), joined));
    }

    fn take(&mut self, name: &str) -> Option<JsonValue<'a>> {
        let index = self.unread.iter().position(|(other, _)| other == name)?;
        let (_, value) = self.unread.remove(index);
        if self.has(name) {
            self.unread.retain(|(other, _)| other != name);
            let detail = format!("{} is given more than once", self.path_of(name));
            self.add_error(MemberErrorCode::Conflict, name, detail);
        }
        Some(value)
    }
}

/// Reads an object within a request. Every error has its path.
pub(crate) fn read_object<T: FromMembers>(
    value: JsonValue<'_>,
    path: JsonPath<'_>,
    errors: &mut Vec<InvalidMember>,
) -> Option<T> {
    let mut members = Members::nested(&path, value);
    let object = T::read(&mut members);
    let own_errors = members.into_errors();
    let object = object.filter(|_| own_errors.is_empty());
    errors.extend(own_errors.into_iter().take(MAX_ERRORS.saturating_sub(errors.len())));
    object
}

/// A request whose members can be described in the contract.
pub(crate) trait DescribeMembers {
    /// Adds the members to the schema of a request.
    fn describe(request: &mut Object);
}

/// Adds a member to the schema of a request. Its default, if it has one, is in the description: as
/// `default` it would make the member required in clients by openapi-typescript.
pub(crate) fn describe_member<T: for<'a> FromValue<'a>>(
    request: &mut Object,
    name: &str,
    docs: &str,
    default: Option<serde_json::Value>,
) {
    let mut schema = T::schema();
    let default = default.map(|default| match default {
        serde_json::Value::String(text) => format!(" The default is `{text}`."),
        other => format!(" The default is `{other}`."),
    });
    let description = Some(docs.trim().to_owned() + default.as_deref().unwrap_or_default());
    match &mut schema {
        Schema::Object(object) => object.description = description,
        Schema::Array(array) => array.description = description,
        Schema::AllOf(all) => all.description = description,
        _ => {}
    }
    request.properties.insert(name.to_owned(), RefOr::T(schema));
}

/// Adds the member `type` of a message to its schema.
pub(crate) fn describe_type(request: &mut Object, name: &'static str) {
    let schema = string_enum("The type of the message.", [name]).build();
    request.properties.insert("type".to_owned(), schema.into());
    request.required.push("type".to_owned());
}

/// The schema of a request. Unknown members are excluded.
pub(crate) fn request_schema<T: DescribeMembers>(docs: &str) -> RefOr<Schema> {
    let mut request =
        ObjectBuilder::new().schema_type(Type::Object).description(Some(docs.trim())).build();
    T::describe(&mut request);
    request.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    request.into()
}

/// The members of a request as the parameters of a query.
pub(crate) fn query_parameters<T: DescribeMembers>() -> Vec<Parameter> {
    let mut request = Object::new();
    T::describe(&mut request);
    let is_required = |name: &String| {
        if request.required.contains(name) { Required::True } else { Required::False }
    };
    request
        .properties
        .iter()
        .map(|(name, schema)| query_parameter(name, schema, is_required(name)))
        .collect()
}

fn query_parameter(name: &str, schema: &RefOr<Schema>, required: Required) -> Parameter {
    let description = match schema {
        RefOr::T(Schema::Object(object)) => object.description.clone(),
        RefOr::T(Schema::Array(array)) => array.description.clone(),
        _ => None,
    };
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(required)
        .description(description)
        .schema(Some(schema.clone()));
    // A list repeats its parameter. The server also splits each value at commas and spaces.
    match schema {
        RefOr::T(Schema::Array(_)) => {
            parameter.style(Some(ParameterStyle::Form)).explode(Some(true)).build()
        }
        _ => parameter.build(),
    }
}

/// Declares a request. The struct, the reader of its members ([`FromMembers`]) and its schema come
/// from this one list.
///
/// The name after `as` is the name of the schema. Each member has one of four kinds:
///
/// - `required name: T`: the member must be present.
/// - `optional name: T`: the field is an `Option<T>`. A literal after `=` is the default in the
///   schema; the code that uses the field applies it.
/// - `defaulted name: T`: a missing member gets `T::default()`.
/// - `flatten name: T`: the members of `T` are members of this request.
///
/// A literal after the field's name, as in `multi_pv as "multiPv"`, is the name of the member.
/// Attributes after `derive`, in this order:
///
/// - `#[message_type("…")]`: the value of the member `type`, which selects this request. The caller
///   reads it.
/// - `#[refuse("…", "…")]`: a member of a flattened type that this request does not take, and why.
/// - `#[check(function)]`: a function that looks at the unread members and adds errors.
/// - `#[validate(function(field, …))]`: a function that gets these fields after all members were
///   read, each `None` if its value is invalid, and adds errors.
///
/// [`FromMembers`]: crate::http::json::FromMembers
macro_rules! request {
    (@type required $type:ty) => { $type };
    (@type optional $type:ty) => { Option<$type> };
    (@type defaulted $type:ty) => { $type };
    (@type flatten $type:ty) => { $type };

    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };

    (@read $members:ident, required, $name:expr, $type:ty) => {
        $members.required::<$type>($name)
    };
    (@read $members:ident, optional, $name:expr, $type:ty) => {
        $members.valid_or_absent::<$type>($name)
    };
    (@read $members:ident, defaulted, $name:expr, $type:ty) => {
        $members.valid_or_absent::<$type>($name).map(Option::unwrap_or_default)
    };
    (@read $members:ident, flatten, $name:expr, $type:ty) => {
        <$type as $crate::http::json::FromMembers>::read($members)
    };

    (@describe $request:ident, required, $name:expr, $type:ty, $docs:expr) => {
        $crate::http::json::describe_member::<$type>($request, $name, $docs, None);
        $request.required.push($name.to_owned());
    };
    (@describe $request:ident, optional, $name:expr, $type:ty, $docs:expr) => {
        $crate::http::json::describe_member::<$type>($request, $name, $docs, None)
    };
    (@describe $request:ident, optional, $name:expr, $type:ty, $docs:expr, $default:literal) => {
        $crate::http::json::describe_member::<$type>($request, $name, $docs, Some($default.into()))
    };
    (@describe $request:ident, defaulted, $name:expr, $type:ty, $docs:expr) => {
        $crate::http::json::describe_member::<$type>(
            $request,
            $name,
            $docs,
            <$type as $crate::http::json::FromValue<'_>>::default_value(),
        )
    };
    (@describe $request:ident, flatten, $name:expr, $type:ty, $docs:expr) => {
        <$type as $crate::http::json::DescribeMembers>::describe($request)
    };

    (
        $(#[doc = $docs:literal])*
        #[derive($($derive:ident),+)]
        $(#[message_type($message_type:literal)])?
        $(#[refuse($refused:literal, $reason:expr)])?
        $(#[check($check:path)])?
        $(#[validate($validate:ident($($argument:ident),+))])?
        $vis:vis struct $request:ident as $schema:literal {
            $(
                $(#[doc = $member_docs:literal])*
                $kind:ident $member_vis:vis $field:ident $(as $name:literal)?
                    : $type:ty $(= $default:literal)?
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $docs])*
        #[derive($($derive),+)]
        $vis struct $request {
            $(
                $(#[doc = $member_docs])*
                $member_vis $field: $crate::http::json::request!(@type $kind $type)
            ),+
        }

        impl $crate::http::json::FromMembers for $request {
            fn read(members: &mut $crate::http::json::Members<'_>) -> Option<$request> {
                $(members.refuse($refused, $reason);)?
                $($check(members);)?
                $(
                    let $field = $crate::http::json::request!(
                        @read members, $kind,
                        $crate::http::json::request!(@name $field $($name)?), $type
                    );
                )+
                $($validate(members, $($argument.as_ref()),+);)?
                Some($request { $($field: $field?),+ })
            }
        }

        impl $crate::http::json::DescribeMembers for $request {
            fn describe(request: &mut utoipa::openapi::Object) {
                $($crate::http::json::describe_type(request, $message_type);)?
                $(
                    $crate::http::json::request!(
                        @describe request, $kind,
                        $crate::http::json::request!(@name $field $($name)?), $type,
                        concat!($($member_docs),*) $(, $default)?
                    );
                )+
                $(request.properties.shift_remove($refused);)?
            }
        }

        impl utoipa::PartialSchema for $request {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                $crate::http::json::request_schema::<$request>(concat!($($docs),*))
            }
        }

        impl utoipa::ToSchema for $request {
            fn name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }
        }

        impl utoipa::IntoParams for $request {
            fn into_params(
                _parameter_in: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                $crate::http::json::query_parameters::<$request>()
            }
        }
    };
}

pub(crate) use request;
