//! The macro [`request!`], which declares a request once: its members, how they are read, and their
//! schema in the contract.

use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{AdditionalProperties, Schema, Type};
use utoipa::openapi::{Object, ObjectBuilder, RefOr, Required};

use super::from_value::FromValue;

/// A request whose members can be described in the contract.
pub(crate) trait DescribeMembers {
    /// Adds the members to the schema of a request.
    fn describe(request: &mut Object);
}

/// Adds a member to the schema of a request. Without `default`, the default of the type is given if
/// the member is `defaulted`.
pub(crate) fn describe_member<T: for<'a> FromValue<'a>>(
    request: &mut Object,
    name: &str,
    docs: &str,
    default: Option<serde_json::Value>,
) {
    let mut schema = T::schema();
    let description = Some(docs.trim().to_owned());
    match &mut schema {
        Schema::Object(object) => {
            object.description = description;
            object.default = default;
        }
        Schema::Array(array) => array.description = description,
        _ => {}
    }
    request.properties.insert(name.to_owned(), RefOr::T(schema));
}

/// Adds the member `type` of a message to its schema.
pub(crate) fn describe_type(request: &mut Object, name: &'static str) {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some([name]))
        .description(Some("The type of the message."))
        .build();
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
    // A list is a single comma-separated value.
    match schema {
        RefOr::T(Schema::Array(_)) => {
            parameter.style(Some(ParameterStyle::Form)).explode(Some(false)).build()
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
/// - `#[check(function)]`: a function that looks at the unread members and adds errors.
/// - `#[validate(function)]`: a function that looks at the request and adds errors.
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
        if $members.has($name) {
            $members.optional::<$type>($name).map(Some)
        } else {
            Some(None)
        }
    };
    (@read $members:ident, defaulted, $name:expr, $type:ty) => {
        if $members.has($name) {
            $members.optional::<$type>($name)
        } else {
            Some(<$type>::default())
        }
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
        $(#[check($check:path)])?
        $(#[validate($validate:path)])?
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
                $($check(members);)?
                $(
                    let $field = $crate::http::json::request!(
                        @read members, $kind,
                        $crate::http::json::request!(@name $field $($name)?), $type
                    );
                )+
                let request = $request { $($field: $field?),+ };
                $($validate(&request, members);)?
                Some(request)
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
