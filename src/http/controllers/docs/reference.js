// Starts Swagger UI on the page /docs.

const NDJSON = "application/x-ndjson";

// Shows NDJSON as its lines. Swagger UI takes it for JSON, because its name contains "json": it
// would show an example as one string with escapes, and an error above a response.
const linesPlugin = (system) => ({
  afterLoad({ fn }) {
    const sampleOfJson = fn.jsonSchema202012.getJsonSampleSchema;
    this.fn.jsonSchema202012.getJsonSampleSchema = (schema, config, mediaType, example) =>
      mediaType === NDJSON && typeof example === "string"
        ? example
        : sampleOfJson(schema, config, mediaType, example);
  },
  wrapComponents: {
    responseBody: (ResponseBody) => (props) => {
      const contentType = props.contentType?.startsWith(NDJSON) ? "text/plain" : props.contentType;
      return system.React.createElement(ResponseBody, { ...props, contentType });
    },
  },
});

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  plugins: [linesPlugin],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The badge of the validator would come from another server.
  validatorUrl: "none",
  // Each operation shows its schemas.
  defaultModelsExpandDepth: -1,
});
