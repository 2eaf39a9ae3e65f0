import protobuf from "protobufjs";

/**
 * gnostic's `openapi.v2.Document`, as far as the platform's documents use it, for decoding the platform's
 * output.
 */
const definitions = `
syntax = "proto3";
message Document {
  string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9;
}
message Info { string title = 1; string version = 2; }
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message Paths { repeated NamedPathItem path = 2; }
message NamedPathItem { string name = 1; PathItem value = 2; }
message PathItem {
  Operation get = 2; Operation put = 3; Operation post = 4; Operation delete = 5; Operation patch = 8;
  repeated ParametersItem parameters = 9;
}
message Operation {
  repeated string tags = 1; string description = 3; string operation_id = 5; repeated string produces = 6;
  repeated string consumes = 7; repeated ParametersItem parameters = 8; Responses responses = 9;
  repeated string schemes = 10; repeated NamedAny vendor_extension = 13;
}
message ParametersItem { Parameter parameter = 1; }
message Parameter { BodyParameter body_parameter = 1; NonBodyParameter non_body_parameter = 2; }
message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema schema = 5; }
message NonBodyParameter {
  QueryParameter query_parameter_sub_schema = 3; PathParameter path_parameter_sub_schema = 4;
}
message QueryParameter {
  bool required = 1; string in = 2; string description = 3; string name = 4; string type = 6;
  bool unique_items = 20;
}
message PathParameter {
  bool required = 1; string in = 2; string description = 3; string name = 4; string type = 5;
  bool unique_items = 19;
}
message Responses { repeated NamedResponseValue response_code = 1; }
message NamedResponseValue { string name = 1; ResponseValue value = 2; }
message ResponseValue { Response response = 1; }
message Response { string description = 1; SchemaItem schema = 2; }
message SchemaItem { Schema schema = 1; }
message Definitions { repeated NamedSchema additional_properties = 1; }
message Properties { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message AdditionalPropertiesItem { Schema schema = 1; }
message Schema {
  string _ref = 1; string format = 2; string description = 4; double maximum = 7; double minimum = 9;
  int64 max_length = 11; int64 min_length = 12; string pattern = 13;
  int64 max_items = 14; int64 min_items = 15;
  int64 max_properties = 17; int64 min_properties = 18; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23;
  Properties properties = 25; repeated NamedAny vendor_extension = 31;
}
`;

export const openApiV2Message = protobuf.parse(definitions, { keepCase: true }).root.lookupType("Document");
