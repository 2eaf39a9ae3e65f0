/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $Array = $util.global.Array, $String = $util.global.String, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $BigInt = $util.global.BigInt, $isFinite = $util.global.isFinite;

// Exported root namespace
const $root = $protobuf.roots["remote-read"] || ($protobuf.roots["remote-read"] = {});

export const prometheus = $root.prometheus = (() => {

    /**
     * Namespace prometheus.
     * @exports prometheus
     * @namespace
     */
    const prometheus = {};

    prometheus.ReadRequest = (function() {

        /**
         * Properties of a ReadRequest.
         * @typedef {Object} prometheus.ReadRequest.$Properties
         * @property {Array.<prometheus.Query.$Properties>|null} [queries] ReadRequest queries
         * @property {Array.<prometheus.ReadRequest.ResponseType>|null} [acceptedResponseTypes] ReadRequest acceptedResponseTypes
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a ReadRequest.
         * @memberof prometheus
         * @interface IReadRequest
         * @augments prometheus.ReadRequest.$Properties
         * @deprecated Use prometheus.ReadRequest.$Properties instead.
         */

        /**
         * Shape of a ReadRequest.
         * @typedef {prometheus.ReadRequest.$Properties} prometheus.ReadRequest.$Shape
         */

        /**
         * Constructs a new ReadRequest.
         * @memberof prometheus
         * @classdesc Represents a ReadRequest.
         * @constructor
         * @param {prometheus.ReadRequest.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const ReadRequest = function (properties) {
            this.queries = [];
            this.acceptedResponseTypes = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * ReadRequest queries.
         * @member {Array.<prometheus.Query.$Properties>} queries
         * @memberof prometheus.ReadRequest
         * @instance
         */
        ReadRequest.prototype.queries = $util.emptyArray;

        /**
         * ReadRequest acceptedResponseTypes.
         * @member {Array.<prometheus.ReadRequest.ResponseType>} acceptedResponseTypes
         * @memberof prometheus.ReadRequest
         * @instance
         */
        ReadRequest.prototype.acceptedResponseTypes = $util.emptyArray;

        /**
         * Creates a new ReadRequest instance using the specified properties.
         * @function create
         * @memberof prometheus.ReadRequest
         * @static
         * @param {prometheus.ReadRequest.$Properties=} [properties] Properties to set
         * @returns {prometheus.ReadRequest} ReadRequest instance
         * @type {{
         *   (properties: prometheus.ReadRequest.$Shape): prometheus.ReadRequest & prometheus.ReadRequest.$Shape;
         *   (properties?: prometheus.ReadRequest.$Properties): prometheus.ReadRequest;
         * }}
         */
        ReadRequest.create = function(properties) {
            return new ReadRequest(properties);
        };

        /**
         * Encodes the specified ReadRequest message. Does not implicitly {@link prometheus.ReadRequest.verify|verify} messages.
         * @function encode
         * @memberof prometheus.ReadRequest
         * @static
         * @param {prometheus.ReadRequest.$Properties} message ReadRequest message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        ReadRequest.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.queries != null && message.queries.length)
                for (let i = 0; i < message.queries.length; ++i)
                    $root.prometheus.Query.encode(message.queries[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.acceptedResponseTypes != null && message.acceptedResponseTypes.length)
                writer.uint32(/* id 2, wireType 2 =*/18).int32s(message.acceptedResponseTypes);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a ReadRequest message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.ReadRequest
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.ReadRequest & prometheus.ReadRequest.$Shape} ReadRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        ReadRequest.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.ReadRequest();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.queries && message.queries.length))
                            message.queries = [];
                        message.queries.push($root.prometheus.Query.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType === 2) {
                            if (!(message.acceptedResponseTypes && message.acceptedResponseTypes.length))
                                message.acceptedResponseTypes = [];
                            reader.int32s(message.acceptedResponseTypes);
                            continue;
                        }
                        if (wireType !== 0)
                            break;
                        if (!(message.acceptedResponseTypes && message.acceptedResponseTypes.length))
                            message.acceptedResponseTypes = [];
                        message.acceptedResponseTypes.push(reader.int32());
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a ReadRequest message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.ReadRequest
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.ReadRequest} ReadRequest
         */
        ReadRequest.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.ReadRequest)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.ReadRequest: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.ReadRequest();
            if (object.queries) {
                if (!$Array.isArray(object.queries))
                    throw $TypeError(".prometheus.ReadRequest.queries: array expected");
                message.queries = $Array(object.queries.length);
                for (let i = 0; i < object.queries.length; ++i) {
                    if (!$util.isObject(object.queries[i]))
                        throw $TypeError(".prometheus.ReadRequest.queries: object expected");
                    message.queries[i] = $root.prometheus.Query.fromObject(object.queries[i], _depth + 1);
                }
            }
            if (object.acceptedResponseTypes) {
                if (!$Array.isArray(object.acceptedResponseTypes))
                    throw $TypeError(".prometheus.ReadRequest.acceptedResponseTypes: array expected");
                message.acceptedResponseTypes = [];
                for (let i = 0; i < object.acceptedResponseTypes.length; ++i)
                    switch (object.acceptedResponseTypes[i]) {
                    case "SAMPLES":
                    case 0:
                        message.acceptedResponseTypes[message.acceptedResponseTypes.length] = 0;
                        break;
                    case "STREAMED_XOR_CHUNKS":
                    case 1:
                        message.acceptedResponseTypes[message.acceptedResponseTypes.length] = 1;
                        break;
                    default:
                        if (typeof object.acceptedResponseTypes[i] === "number" && (object.acceptedResponseTypes[i] | 0) === object.acceptedResponseTypes[i])
                            message.acceptedResponseTypes[message.acceptedResponseTypes.length] = object.acceptedResponseTypes[i];
                    }
            }
            return message;
        };

        /**
         * Creates a plain object from a ReadRequest message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.ReadRequest
         * @static
         * @param {prometheus.ReadRequest} message ReadRequest
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        ReadRequest.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.queries = [];
                object.acceptedResponseTypes = [];
            }
            if (message.queries && message.queries.length) {
                object.queries = $Array(message.queries.length);
                for (let j = 0; j < message.queries.length; ++j)
                    object.queries[j] = $root.prometheus.Query.toObject(message.queries[j], options, _depth + 1);
            }
            if (message.acceptedResponseTypes && message.acceptedResponseTypes.length) {
                object.acceptedResponseTypes = $Array(message.acceptedResponseTypes.length);
                for (let j = 0; j < message.acceptedResponseTypes.length; ++j)
                    object.acceptedResponseTypes[j] = options.enums === $String ? $root.prometheus.ReadRequest.ResponseType[message.acceptedResponseTypes[j]] === $undefined ? message.acceptedResponseTypes[j] : $root.prometheus.ReadRequest.ResponseType[message.acceptedResponseTypes[j]] : message.acceptedResponseTypes[j];
            }
            return object;
        };

        /**
         * Converts this ReadRequest to JSON.
         * @function toJSON
         * @memberof prometheus.ReadRequest
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        ReadRequest.prototype.toJSON = function() {
            return ReadRequest.toObject(this, $protobuf.util.toJSONOptions);
        };

        /**
         * ResponseType enum.
         * @name prometheus.ReadRequest.ResponseType
         * @enum {number}
         * @property {number} SAMPLES=0 SAMPLES value
         * @property {number} STREAMED_XOR_CHUNKS=1 STREAMED_XOR_CHUNKS value
         */
        ReadRequest.ResponseType = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SAMPLES"] = 0;
            values[valuesById[1] = "STREAMED_XOR_CHUNKS"] = 1;
            return values;
        })();

        return ReadRequest;
    })();

    prometheus.ReadResponse = (function() {

        /**
         * Properties of a ReadResponse.
         * @typedef {Object} prometheus.ReadResponse.$Properties
         * @property {Array.<prometheus.QueryResult.$Properties>|null} [results] ReadResponse results
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a ReadResponse.
         * @memberof prometheus
         * @interface IReadResponse
         * @augments prometheus.ReadResponse.$Properties
         * @deprecated Use prometheus.ReadResponse.$Properties instead.
         */

        /**
         * Shape of a ReadResponse.
         * @typedef {{
         *   results?: Array.<prometheus.QueryResult.$Shape>|null;
         *   $unknowns?: Array.<Uint8Array>;
         * }} prometheus.ReadResponse.$Shape
         */

        /**
         * Constructs a new ReadResponse.
         * @memberof prometheus
         * @classdesc Represents a ReadResponse.
         * @constructor
         * @param {prometheus.ReadResponse.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const ReadResponse = function (properties) {
            this.results = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * ReadResponse results.
         * @member {Array.<prometheus.QueryResult.$Properties>} results
         * @memberof prometheus.ReadResponse
         * @instance
         */
        ReadResponse.prototype.results = $util.emptyArray;

        /**
         * Creates a new ReadResponse instance using the specified properties.
         * @function create
         * @memberof prometheus.ReadResponse
         * @static
         * @param {prometheus.ReadResponse.$Properties=} [properties] Properties to set
         * @returns {prometheus.ReadResponse} ReadResponse instance
         * @type {{
         *   (properties: prometheus.ReadResponse.$Shape): prometheus.ReadResponse & prometheus.ReadResponse.$Shape;
         *   (properties?: prometheus.ReadResponse.$Properties): prometheus.ReadResponse;
         * }}
         */
        ReadResponse.create = function(properties) {
            return new ReadResponse(properties);
        };

        /**
         * Encodes the specified ReadResponse message. Does not implicitly {@link prometheus.ReadResponse.verify|verify} messages.
         * @function encode
         * @memberof prometheus.ReadResponse
         * @static
         * @param {prometheus.ReadResponse.$Properties} message ReadResponse message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        ReadResponse.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.results != null && message.results.length)
                for (let i = 0; i < message.results.length; ++i)
                    $root.prometheus.QueryResult.encode(message.results[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a ReadResponse message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.ReadResponse
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.ReadResponse & prometheus.ReadResponse.$Shape} ReadResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        ReadResponse.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.ReadResponse();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.results && message.results.length))
                            message.results = [];
                        message.results.push($root.prometheus.QueryResult.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a ReadResponse message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.ReadResponse
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.ReadResponse} ReadResponse
         */
        ReadResponse.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.ReadResponse)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.ReadResponse: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.ReadResponse();
            if (object.results) {
                if (!$Array.isArray(object.results))
                    throw $TypeError(".prometheus.ReadResponse.results: array expected");
                message.results = $Array(object.results.length);
                for (let i = 0; i < object.results.length; ++i) {
                    if (!$util.isObject(object.results[i]))
                        throw $TypeError(".prometheus.ReadResponse.results: object expected");
                    message.results[i] = $root.prometheus.QueryResult.fromObject(object.results[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a ReadResponse message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.ReadResponse
         * @static
         * @param {prometheus.ReadResponse} message ReadResponse
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        ReadResponse.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.results = [];
            if (message.results && message.results.length) {
                object.results = $Array(message.results.length);
                for (let j = 0; j < message.results.length; ++j)
                    object.results[j] = $root.prometheus.QueryResult.toObject(message.results[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this ReadResponse to JSON.
         * @function toJSON
         * @memberof prometheus.ReadResponse
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        ReadResponse.prototype.toJSON = function() {
            return ReadResponse.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ReadResponse;
    })();

    prometheus.Query = (function() {

        /**
         * Properties of a Query.
         * @typedef {Object} prometheus.Query.$Properties
         * @property {number|null} [startTimestampMs] Query startTimestampMs
         * @property {number|null} [endTimestampMs] Query endTimestampMs
         * @property {Array.<prometheus.LabelMatcher.$Properties>|null} [matchers] Query matchers
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a Query.
         * @memberof prometheus
         * @interface IQuery
         * @augments prometheus.Query.$Properties
         * @deprecated Use prometheus.Query.$Properties instead.
         */

        /**
         * Shape of a Query.
         * @typedef {prometheus.Query.$Properties} prometheus.Query.$Shape
         */

        /**
         * Constructs a new Query.
         * @memberof prometheus
         * @classdesc Represents a Query.
         * @constructor
         * @param {prometheus.Query.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Query = function (properties) {
            this.matchers = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Query startTimestampMs.
         * @member {number} startTimestampMs
         * @memberof prometheus.Query
         * @instance
         */
        Query.prototype.startTimestampMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Query endTimestampMs.
         * @member {number} endTimestampMs
         * @memberof prometheus.Query
         * @instance
         */
        Query.prototype.endTimestampMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Query matchers.
         * @member {Array.<prometheus.LabelMatcher.$Properties>} matchers
         * @memberof prometheus.Query
         * @instance
         */
        Query.prototype.matchers = $util.emptyArray;

        /**
         * Creates a new Query instance using the specified properties.
         * @function create
         * @memberof prometheus.Query
         * @static
         * @param {prometheus.Query.$Properties=} [properties] Properties to set
         * @returns {prometheus.Query} Query instance
         * @type {{
         *   (properties: prometheus.Query.$Shape): prometheus.Query & prometheus.Query.$Shape;
         *   (properties?: prometheus.Query.$Properties): prometheus.Query;
         * }}
         */
        Query.create = function(properties) {
            return new Query(properties);
        };

        /**
         * Encodes the specified Query message. Does not implicitly {@link prometheus.Query.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Query
         * @static
         * @param {prometheus.Query.$Properties} message Query message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Query.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.startTimestampMs != null && $Object.hasOwnProperty.call(message, "startTimestampMs") && (typeof message.startTimestampMs === "object" ? message.startTimestampMs.low || message.startTimestampMs.high : message.startTimestampMs !== 0))
                writer.uint32(/* id 1, wireType 0 =*/8).int64(message.startTimestampMs);
            if (message.endTimestampMs != null && $Object.hasOwnProperty.call(message, "endTimestampMs") && (typeof message.endTimestampMs === "object" ? message.endTimestampMs.low || message.endTimestampMs.high : message.endTimestampMs !== 0))
                writer.uint32(/* id 2, wireType 0 =*/16).int64(message.endTimestampMs);
            if (message.matchers != null && message.matchers.length)
                for (let i = 0; i < message.matchers.length; ++i)
                    $root.prometheus.LabelMatcher.encode(message.matchers[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a Query message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Query
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Query & prometheus.Query.$Shape} Query
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Query.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Query();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.startTimestampMs = value;
                        else
                            delete message.startTimestampMs;
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.endTimestampMs = value;
                        else
                            delete message.endTimestampMs;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.matchers && message.matchers.length))
                            message.matchers = [];
                        message.matchers.push($root.prometheus.LabelMatcher.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a Query message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Query
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Query} Query
         */
        Query.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Query)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Query: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Query();
            if (object.startTimestampMs != null)
                if (typeof object.startTimestampMs === "object" ? object.startTimestampMs.low || object.startTimestampMs.high : $Number(object.startTimestampMs) !== 0)
                    if ($util.Long)
                        message.startTimestampMs = $util.Long.fromValue(object.startTimestampMs, false);
                    else if (typeof object.startTimestampMs === "string")
                        message.startTimestampMs = $parseInt(object.startTimestampMs, 10);
                    else if (typeof object.startTimestampMs === "number")
                        message.startTimestampMs = object.startTimestampMs;
                    else if (typeof object.startTimestampMs === "object")
                        message.startTimestampMs = new $util.LongBits(object.startTimestampMs.low >>> 0, object.startTimestampMs.high >>> 0).toNumber();
            if (object.endTimestampMs != null)
                if (typeof object.endTimestampMs === "object" ? object.endTimestampMs.low || object.endTimestampMs.high : $Number(object.endTimestampMs) !== 0)
                    if ($util.Long)
                        message.endTimestampMs = $util.Long.fromValue(object.endTimestampMs, false);
                    else if (typeof object.endTimestampMs === "string")
                        message.endTimestampMs = $parseInt(object.endTimestampMs, 10);
                    else if (typeof object.endTimestampMs === "number")
                        message.endTimestampMs = object.endTimestampMs;
                    else if (typeof object.endTimestampMs === "object")
                        message.endTimestampMs = new $util.LongBits(object.endTimestampMs.low >>> 0, object.endTimestampMs.high >>> 0).toNumber();
            if (object.matchers) {
                if (!$Array.isArray(object.matchers))
                    throw $TypeError(".prometheus.Query.matchers: array expected");
                message.matchers = $Array(object.matchers.length);
                for (let i = 0; i < object.matchers.length; ++i) {
                    if (!$util.isObject(object.matchers[i]))
                        throw $TypeError(".prometheus.Query.matchers: object expected");
                    message.matchers[i] = $root.prometheus.LabelMatcher.fromObject(object.matchers[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a Query message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Query
         * @static
         * @param {prometheus.Query} message Query
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Query.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.matchers = [];
            if (options.defaults) {
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.startTimestampMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.startTimestampMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.endTimestampMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.endTimestampMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
            }
            if (message.startTimestampMs != null && $Object.hasOwnProperty.call(message, "startTimestampMs"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.startTimestampMs = typeof message.startTimestampMs === "number" ? $BigInt(message.startTimestampMs) : $util.Long.fromBits(message.startTimestampMs.low >>> 0, message.startTimestampMs.high >>> 0, false).toBigInt();
                else if (typeof message.startTimestampMs === "number")
                    object.startTimestampMs = options.longs === $String ? $String(message.startTimestampMs) : message.startTimestampMs;
                else
                    object.startTimestampMs = options.longs === $String ? $util.Long.prototype.toString.call(message.startTimestampMs) : options.longs === $Number ? new $util.LongBits(message.startTimestampMs.low >>> 0, message.startTimestampMs.high >>> 0).toNumber() : message.startTimestampMs;
            if (message.endTimestampMs != null && $Object.hasOwnProperty.call(message, "endTimestampMs"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.endTimestampMs = typeof message.endTimestampMs === "number" ? $BigInt(message.endTimestampMs) : $util.Long.fromBits(message.endTimestampMs.low >>> 0, message.endTimestampMs.high >>> 0, false).toBigInt();
                else if (typeof message.endTimestampMs === "number")
                    object.endTimestampMs = options.longs === $String ? $String(message.endTimestampMs) : message.endTimestampMs;
                else
                    object.endTimestampMs = options.longs === $String ? $util.Long.prototype.toString.call(message.endTimestampMs) : options.longs === $Number ? new $util.LongBits(message.endTimestampMs.low >>> 0, message.endTimestampMs.high >>> 0).toNumber() : message.endTimestampMs;
            if (message.matchers && message.matchers.length) {
                object.matchers = $Array(message.matchers.length);
                for (let j = 0; j < message.matchers.length; ++j)
                    object.matchers[j] = $root.prometheus.LabelMatcher.toObject(message.matchers[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this Query to JSON.
         * @function toJSON
         * @memberof prometheus.Query
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Query.prototype.toJSON = function() {
            return Query.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Query;
    })();

    prometheus.QueryResult = (function() {

        /**
         * Properties of a QueryResult.
         * @typedef {Object} prometheus.QueryResult.$Properties
         * @property {Array.<prometheus.TimeSeries.$Properties>|null} [timeseries] QueryResult timeseries
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a QueryResult.
         * @memberof prometheus
         * @interface IQueryResult
         * @augments prometheus.QueryResult.$Properties
         * @deprecated Use prometheus.QueryResult.$Properties instead.
         */

        /**
         * Shape of a QueryResult.
         * @typedef {{
         *   timeseries?: Array.<prometheus.TimeSeries.$Shape>|null;
         *   $unknowns?: Array.<Uint8Array>;
         * }} prometheus.QueryResult.$Shape
         */

        /**
         * Constructs a new QueryResult.
         * @memberof prometheus
         * @classdesc Represents a QueryResult.
         * @constructor
         * @param {prometheus.QueryResult.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const QueryResult = function (properties) {
            this.timeseries = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * QueryResult timeseries.
         * @member {Array.<prometheus.TimeSeries.$Properties>} timeseries
         * @memberof prometheus.QueryResult
         * @instance
         */
        QueryResult.prototype.timeseries = $util.emptyArray;

        /**
         * Creates a new QueryResult instance using the specified properties.
         * @function create
         * @memberof prometheus.QueryResult
         * @static
         * @param {prometheus.QueryResult.$Properties=} [properties] Properties to set
         * @returns {prometheus.QueryResult} QueryResult instance
         * @type {{
         *   (properties: prometheus.QueryResult.$Shape): prometheus.QueryResult & prometheus.QueryResult.$Shape;
         *   (properties?: prometheus.QueryResult.$Properties): prometheus.QueryResult;
         * }}
         */
        QueryResult.create = function(properties) {
            return new QueryResult(properties);
        };

        /**
         * Encodes the specified QueryResult message. Does not implicitly {@link prometheus.QueryResult.verify|verify} messages.
         * @function encode
         * @memberof prometheus.QueryResult
         * @static
         * @param {prometheus.QueryResult.$Properties} message QueryResult message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        QueryResult.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.timeseries != null && message.timeseries.length)
                for (let i = 0; i < message.timeseries.length; ++i)
                    $root.prometheus.TimeSeries.encode(message.timeseries[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a QueryResult message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.QueryResult
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.QueryResult & prometheus.QueryResult.$Shape} QueryResult
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        QueryResult.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.QueryResult();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.timeseries && message.timeseries.length))
                            message.timeseries = [];
                        message.timeseries.push($root.prometheus.TimeSeries.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a QueryResult message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.QueryResult
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.QueryResult} QueryResult
         */
        QueryResult.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.QueryResult)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.QueryResult: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.QueryResult();
            if (object.timeseries) {
                if (!$Array.isArray(object.timeseries))
                    throw $TypeError(".prometheus.QueryResult.timeseries: array expected");
                message.timeseries = $Array(object.timeseries.length);
                for (let i = 0; i < object.timeseries.length; ++i) {
                    if (!$util.isObject(object.timeseries[i]))
                        throw $TypeError(".prometheus.QueryResult.timeseries: object expected");
                    message.timeseries[i] = $root.prometheus.TimeSeries.fromObject(object.timeseries[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a QueryResult message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.QueryResult
         * @static
         * @param {prometheus.QueryResult} message QueryResult
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        QueryResult.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.timeseries = [];
            if (message.timeseries && message.timeseries.length) {
                object.timeseries = $Array(message.timeseries.length);
                for (let j = 0; j < message.timeseries.length; ++j)
                    object.timeseries[j] = $root.prometheus.TimeSeries.toObject(message.timeseries[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this QueryResult to JSON.
         * @function toJSON
         * @memberof prometheus.QueryResult
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        QueryResult.prototype.toJSON = function() {
            return QueryResult.toObject(this, $protobuf.util.toJSONOptions);
        };

        return QueryResult;
    })();

    prometheus.ChunkedReadResponse = (function() {

        /**
         * Properties of a ChunkedReadResponse.
         * @typedef {Object} prometheus.ChunkedReadResponse.$Properties
         * @property {Array.<prometheus.ChunkedSeries.$Properties>|null} [chunkedSeries] ChunkedReadResponse chunkedSeries
         * @property {number|null} [queryIndex] ChunkedReadResponse queryIndex
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a ChunkedReadResponse.
         * @memberof prometheus
         * @interface IChunkedReadResponse
         * @augments prometheus.ChunkedReadResponse.$Properties
         * @deprecated Use prometheus.ChunkedReadResponse.$Properties instead.
         */

        /**
         * Shape of a ChunkedReadResponse.
         * @typedef {prometheus.ChunkedReadResponse.$Properties} prometheus.ChunkedReadResponse.$Shape
         */

        /**
         * Constructs a new ChunkedReadResponse.
         * @memberof prometheus
         * @classdesc Represents a ChunkedReadResponse.
         * @constructor
         * @param {prometheus.ChunkedReadResponse.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const ChunkedReadResponse = function (properties) {
            this.chunkedSeries = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * ChunkedReadResponse chunkedSeries.
         * @member {Array.<prometheus.ChunkedSeries.$Properties>} chunkedSeries
         * @memberof prometheus.ChunkedReadResponse
         * @instance
         */
        ChunkedReadResponse.prototype.chunkedSeries = $util.emptyArray;

        /**
         * ChunkedReadResponse queryIndex.
         * @member {number} queryIndex
         * @memberof prometheus.ChunkedReadResponse
         * @instance
         */
        ChunkedReadResponse.prototype.queryIndex = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Creates a new ChunkedReadResponse instance using the specified properties.
         * @function create
         * @memberof prometheus.ChunkedReadResponse
         * @static
         * @param {prometheus.ChunkedReadResponse.$Properties=} [properties] Properties to set
         * @returns {prometheus.ChunkedReadResponse} ChunkedReadResponse instance
         * @type {{
         *   (properties: prometheus.ChunkedReadResponse.$Shape): prometheus.ChunkedReadResponse & prometheus.ChunkedReadResponse.$Shape;
         *   (properties?: prometheus.ChunkedReadResponse.$Properties): prometheus.ChunkedReadResponse;
         * }}
         */
        ChunkedReadResponse.create = function(properties) {
            return new ChunkedReadResponse(properties);
        };

        /**
         * Encodes the specified ChunkedReadResponse message. Does not implicitly {@link prometheus.ChunkedReadResponse.verify|verify} messages.
         * @function encode
         * @memberof prometheus.ChunkedReadResponse
         * @static
         * @param {prometheus.ChunkedReadResponse.$Properties} message ChunkedReadResponse message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        ChunkedReadResponse.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.chunkedSeries != null && message.chunkedSeries.length)
                for (let i = 0; i < message.chunkedSeries.length; ++i)
                    $root.prometheus.ChunkedSeries.encode(message.chunkedSeries[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.queryIndex != null && $Object.hasOwnProperty.call(message, "queryIndex") && (typeof message.queryIndex === "object" ? message.queryIndex.low || message.queryIndex.high : message.queryIndex !== 0))
                writer.uint32(/* id 2, wireType 0 =*/16).int64(message.queryIndex);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a ChunkedReadResponse message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.ChunkedReadResponse
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.ChunkedReadResponse & prometheus.ChunkedReadResponse.$Shape} ChunkedReadResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        ChunkedReadResponse.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.ChunkedReadResponse();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.chunkedSeries && message.chunkedSeries.length))
                            message.chunkedSeries = [];
                        message.chunkedSeries.push($root.prometheus.ChunkedSeries.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.queryIndex = value;
                        else
                            delete message.queryIndex;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a ChunkedReadResponse message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.ChunkedReadResponse
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.ChunkedReadResponse} ChunkedReadResponse
         */
        ChunkedReadResponse.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.ChunkedReadResponse)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.ChunkedReadResponse: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.ChunkedReadResponse();
            if (object.chunkedSeries) {
                if (!$Array.isArray(object.chunkedSeries))
                    throw $TypeError(".prometheus.ChunkedReadResponse.chunkedSeries: array expected");
                message.chunkedSeries = $Array(object.chunkedSeries.length);
                for (let i = 0; i < object.chunkedSeries.length; ++i) {
                    if (!$util.isObject(object.chunkedSeries[i]))
                        throw $TypeError(".prometheus.ChunkedReadResponse.chunkedSeries: object expected");
                    message.chunkedSeries[i] = $root.prometheus.ChunkedSeries.fromObject(object.chunkedSeries[i], _depth + 1);
                }
            }
            if (object.queryIndex != null)
                if (typeof object.queryIndex === "object" ? object.queryIndex.low || object.queryIndex.high : $Number(object.queryIndex) !== 0)
                    if ($util.Long)
                        message.queryIndex = $util.Long.fromValue(object.queryIndex, false);
                    else if (typeof object.queryIndex === "string")
                        message.queryIndex = $parseInt(object.queryIndex, 10);
                    else if (typeof object.queryIndex === "number")
                        message.queryIndex = object.queryIndex;
                    else if (typeof object.queryIndex === "object")
                        message.queryIndex = new $util.LongBits(object.queryIndex.low >>> 0, object.queryIndex.high >>> 0).toNumber();
            return message;
        };

        /**
         * Creates a plain object from a ChunkedReadResponse message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.ChunkedReadResponse
         * @static
         * @param {prometheus.ChunkedReadResponse} message ChunkedReadResponse
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        ChunkedReadResponse.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.chunkedSeries = [];
            if (options.defaults)
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.queryIndex = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.queryIndex = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
            if (message.chunkedSeries && message.chunkedSeries.length) {
                object.chunkedSeries = $Array(message.chunkedSeries.length);
                for (let j = 0; j < message.chunkedSeries.length; ++j)
                    object.chunkedSeries[j] = $root.prometheus.ChunkedSeries.toObject(message.chunkedSeries[j], options, _depth + 1);
            }
            if (message.queryIndex != null && $Object.hasOwnProperty.call(message, "queryIndex"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.queryIndex = typeof message.queryIndex === "number" ? $BigInt(message.queryIndex) : $util.Long.fromBits(message.queryIndex.low >>> 0, message.queryIndex.high >>> 0, false).toBigInt();
                else if (typeof message.queryIndex === "number")
                    object.queryIndex = options.longs === $String ? $String(message.queryIndex) : message.queryIndex;
                else
                    object.queryIndex = options.longs === $String ? $util.Long.prototype.toString.call(message.queryIndex) : options.longs === $Number ? new $util.LongBits(message.queryIndex.low >>> 0, message.queryIndex.high >>> 0).toNumber() : message.queryIndex;
            return object;
        };

        /**
         * Converts this ChunkedReadResponse to JSON.
         * @function toJSON
         * @memberof prometheus.ChunkedReadResponse
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        ChunkedReadResponse.prototype.toJSON = function() {
            return ChunkedReadResponse.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ChunkedReadResponse;
    })();

    prometheus.Sample = (function() {

        /**
         * Properties of a Sample.
         * @typedef {Object} prometheus.Sample.$Properties
         * @property {number|null} [value] Sample value
         * @property {number|null} [timestamp] Sample timestamp
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a Sample.
         * @memberof prometheus
         * @interface ISample
         * @augments prometheus.Sample.$Properties
         * @deprecated Use prometheus.Sample.$Properties instead.
         */

        /**
         * Shape of a Sample.
         * @typedef {prometheus.Sample.$Properties} prometheus.Sample.$Shape
         */

        /**
         * Constructs a new Sample.
         * @memberof prometheus
         * @classdesc Represents a Sample.
         * @constructor
         * @param {prometheus.Sample.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Sample = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Sample value.
         * @member {number} value
         * @memberof prometheus.Sample
         * @instance
         */
        Sample.prototype.value = 0;

        /**
         * Sample timestamp.
         * @member {number} timestamp
         * @memberof prometheus.Sample
         * @instance
         */
        Sample.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Creates a new Sample instance using the specified properties.
         * @function create
         * @memberof prometheus.Sample
         * @static
         * @param {prometheus.Sample.$Properties=} [properties] Properties to set
         * @returns {prometheus.Sample} Sample instance
         * @type {{
         *   (properties: prometheus.Sample.$Shape): prometheus.Sample & prometheus.Sample.$Shape;
         *   (properties?: prometheus.Sample.$Properties): prometheus.Sample;
         * }}
         */
        Sample.create = function(properties) {
            return new Sample(properties);
        };

        /**
         * Encodes the specified Sample message. Does not implicitly {@link prometheus.Sample.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Sample
         * @static
         * @param {prometheus.Sample.$Properties} message Sample message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Sample.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.value != null && $Object.hasOwnProperty.call(message, "value") && !$Object.is(message.value, 0))
                writer.uint32(/* id 1, wireType 1 =*/9).double(message.value);
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && (typeof message.timestamp === "object" ? message.timestamp.low || message.timestamp.high : message.timestamp !== 0))
                writer.uint32(/* id 2, wireType 0 =*/16).int64(message.timestamp);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a Sample message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Sample
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Sample & prometheus.Sample.$Shape} Sample
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Sample.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Sample();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 1)
                            break;
                        if (!$Object.is(value = reader.double(), 0))
                            message.value = value;
                        else
                            delete message.value;
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.timestamp = value;
                        else
                            delete message.timestamp;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a Sample message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Sample
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Sample} Sample
         */
        Sample.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Sample)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Sample: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Sample();
            if (object.value != null)
                if (!$Object.is($Number(object.value), 0))
                    message.value = $Number(object.value);
            if (object.timestamp != null)
                if (typeof object.timestamp === "object" ? object.timestamp.low || object.timestamp.high : $Number(object.timestamp) !== 0)
                    if ($util.Long)
                        message.timestamp = $util.Long.fromValue(object.timestamp, false);
                    else if (typeof object.timestamp === "string")
                        message.timestamp = $parseInt(object.timestamp, 10);
                    else if (typeof object.timestamp === "number")
                        message.timestamp = object.timestamp;
                    else if (typeof object.timestamp === "object")
                        message.timestamp = new $util.LongBits(object.timestamp.low >>> 0, object.timestamp.high >>> 0).toNumber();
            return message;
        };

        /**
         * Creates a plain object from a Sample message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Sample
         * @static
         * @param {prometheus.Sample} message Sample
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Sample.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.value = 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
            }
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                object.value = options.json && !$isFinite(message.value) ? $String(message.value) : message.value;
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.timestamp = typeof message.timestamp === "number" ? $BigInt(message.timestamp) : $util.Long.fromBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0, false).toBigInt();
                else if (typeof message.timestamp === "number")
                    object.timestamp = options.longs === $String ? $String(message.timestamp) : message.timestamp;
                else
                    object.timestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.timestamp) : options.longs === $Number ? new $util.LongBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0).toNumber() : message.timestamp;
            return object;
        };

        /**
         * Converts this Sample to JSON.
         * @function toJSON
         * @memberof prometheus.Sample
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Sample.prototype.toJSON = function() {
            return Sample.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Sample;
    })();

    prometheus.TimeSeries = (function() {

        /**
         * Properties of a TimeSeries.
         * @typedef {Object} prometheus.TimeSeries.$Properties
         * @property {Array.<prometheus.Label.$Properties>|null} [labels] TimeSeries labels
         * @property {Array.<prometheus.Sample.$Properties>|null} [samples] TimeSeries samples
         * @property {Array.<prometheus.Exemplar.$Properties>|null} [exemplars] TimeSeries exemplars
         * @property {Array.<prometheus.Histogram.$Properties>|null} [histograms] TimeSeries histograms
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a TimeSeries.
         * @memberof prometheus
         * @interface ITimeSeries
         * @augments prometheus.TimeSeries.$Properties
         * @deprecated Use prometheus.TimeSeries.$Properties instead.
         */

        /**
         * Shape of a TimeSeries.
         * @typedef {{
         *   labels?: Array.<prometheus.Label.$Shape>|null;
         *   samples?: Array.<prometheus.Sample.$Shape>|null;
         *   exemplars?: Array.<prometheus.Exemplar.$Shape>|null;
         *   histograms?: Array.<prometheus.Histogram.$Shape>|null;
         *   $unknowns?: Array.<Uint8Array>;
         * }} prometheus.TimeSeries.$Shape
         */

        /**
         * Constructs a new TimeSeries.
         * @memberof prometheus
         * @classdesc Represents a TimeSeries.
         * @constructor
         * @param {prometheus.TimeSeries.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const TimeSeries = function (properties) {
            this.labels = [];
            this.samples = [];
            this.exemplars = [];
            this.histograms = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * TimeSeries labels.
         * @member {Array.<prometheus.Label.$Properties>} labels
         * @memberof prometheus.TimeSeries
         * @instance
         */
        TimeSeries.prototype.labels = $util.emptyArray;

        /**
         * TimeSeries samples.
         * @member {Array.<prometheus.Sample.$Properties>} samples
         * @memberof prometheus.TimeSeries
         * @instance
         */
        TimeSeries.prototype.samples = $util.emptyArray;

        /**
         * TimeSeries exemplars.
         * @member {Array.<prometheus.Exemplar.$Properties>} exemplars
         * @memberof prometheus.TimeSeries
         * @instance
         */
        TimeSeries.prototype.exemplars = $util.emptyArray;

        /**
         * TimeSeries histograms.
         * @member {Array.<prometheus.Histogram.$Properties>} histograms
         * @memberof prometheus.TimeSeries
         * @instance
         */
        TimeSeries.prototype.histograms = $util.emptyArray;

        /**
         * Creates a new TimeSeries instance using the specified properties.
         * @function create
         * @memberof prometheus.TimeSeries
         * @static
         * @param {prometheus.TimeSeries.$Properties=} [properties] Properties to set
         * @returns {prometheus.TimeSeries} TimeSeries instance
         * @type {{
         *   (properties: prometheus.TimeSeries.$Shape): prometheus.TimeSeries & prometheus.TimeSeries.$Shape;
         *   (properties?: prometheus.TimeSeries.$Properties): prometheus.TimeSeries;
         * }}
         */
        TimeSeries.create = function(properties) {
            return new TimeSeries(properties);
        };

        /**
         * Encodes the specified TimeSeries message. Does not implicitly {@link prometheus.TimeSeries.verify|verify} messages.
         * @function encode
         * @memberof prometheus.TimeSeries
         * @static
         * @param {prometheus.TimeSeries.$Properties} message TimeSeries message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        TimeSeries.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.labels != null && message.labels.length)
                for (let i = 0; i < message.labels.length; ++i)
                    $root.prometheus.Label.encode(message.labels[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.samples != null && message.samples.length)
                for (let i = 0; i < message.samples.length; ++i)
                    $root.prometheus.Sample.encode(message.samples[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
            if (message.exemplars != null && message.exemplars.length)
                for (let i = 0; i < message.exemplars.length; ++i)
                    $root.prometheus.Exemplar.encode(message.exemplars[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
            if (message.histograms != null && message.histograms.length)
                for (let i = 0; i < message.histograms.length; ++i)
                    $root.prometheus.Histogram.encode(message.histograms[i], writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a TimeSeries message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.TimeSeries
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.TimeSeries & prometheus.TimeSeries.$Shape} TimeSeries
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        TimeSeries.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.TimeSeries();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.labels && message.labels.length))
                            message.labels = [];
                        message.labels.push($root.prometheus.Label.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.samples && message.samples.length))
                            message.samples = [];
                        message.samples.push($root.prometheus.Sample.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.exemplars && message.exemplars.length))
                            message.exemplars = [];
                        message.exemplars.push($root.prometheus.Exemplar.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if (!(message.histograms && message.histograms.length))
                            message.histograms = [];
                        message.histograms.push($root.prometheus.Histogram.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a TimeSeries message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.TimeSeries
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.TimeSeries} TimeSeries
         */
        TimeSeries.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.TimeSeries)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.TimeSeries: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.TimeSeries();
            if (object.labels) {
                if (!$Array.isArray(object.labels))
                    throw $TypeError(".prometheus.TimeSeries.labels: array expected");
                message.labels = $Array(object.labels.length);
                for (let i = 0; i < object.labels.length; ++i) {
                    if (!$util.isObject(object.labels[i]))
                        throw $TypeError(".prometheus.TimeSeries.labels: object expected");
                    message.labels[i] = $root.prometheus.Label.fromObject(object.labels[i], _depth + 1);
                }
            }
            if (object.samples) {
                if (!$Array.isArray(object.samples))
                    throw $TypeError(".prometheus.TimeSeries.samples: array expected");
                message.samples = $Array(object.samples.length);
                for (let i = 0; i < object.samples.length; ++i) {
                    if (!$util.isObject(object.samples[i]))
                        throw $TypeError(".prometheus.TimeSeries.samples: object expected");
                    message.samples[i] = $root.prometheus.Sample.fromObject(object.samples[i], _depth + 1);
                }
            }
            if (object.exemplars) {
                if (!$Array.isArray(object.exemplars))
                    throw $TypeError(".prometheus.TimeSeries.exemplars: array expected");
                message.exemplars = $Array(object.exemplars.length);
                for (let i = 0; i < object.exemplars.length; ++i) {
                    if (!$util.isObject(object.exemplars[i]))
                        throw $TypeError(".prometheus.TimeSeries.exemplars: object expected");
                    message.exemplars[i] = $root.prometheus.Exemplar.fromObject(object.exemplars[i], _depth + 1);
                }
            }
            if (object.histograms) {
                if (!$Array.isArray(object.histograms))
                    throw $TypeError(".prometheus.TimeSeries.histograms: array expected");
                message.histograms = $Array(object.histograms.length);
                for (let i = 0; i < object.histograms.length; ++i) {
                    if (!$util.isObject(object.histograms[i]))
                        throw $TypeError(".prometheus.TimeSeries.histograms: object expected");
                    message.histograms[i] = $root.prometheus.Histogram.fromObject(object.histograms[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a TimeSeries message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.TimeSeries
         * @static
         * @param {prometheus.TimeSeries} message TimeSeries
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        TimeSeries.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.labels = [];
                object.samples = [];
                object.exemplars = [];
                object.histograms = [];
            }
            if (message.labels && message.labels.length) {
                object.labels = $Array(message.labels.length);
                for (let j = 0; j < message.labels.length; ++j)
                    object.labels[j] = $root.prometheus.Label.toObject(message.labels[j], options, _depth + 1);
            }
            if (message.samples && message.samples.length) {
                object.samples = $Array(message.samples.length);
                for (let j = 0; j < message.samples.length; ++j)
                    object.samples[j] = $root.prometheus.Sample.toObject(message.samples[j], options, _depth + 1);
            }
            if (message.exemplars && message.exemplars.length) {
                object.exemplars = $Array(message.exemplars.length);
                for (let j = 0; j < message.exemplars.length; ++j)
                    object.exemplars[j] = $root.prometheus.Exemplar.toObject(message.exemplars[j], options, _depth + 1);
            }
            if (message.histograms && message.histograms.length) {
                object.histograms = $Array(message.histograms.length);
                for (let j = 0; j < message.histograms.length; ++j)
                    object.histograms[j] = $root.prometheus.Histogram.toObject(message.histograms[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this TimeSeries to JSON.
         * @function toJSON
         * @memberof prometheus.TimeSeries
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        TimeSeries.prototype.toJSON = function() {
            return TimeSeries.toObject(this, $protobuf.util.toJSONOptions);
        };

        return TimeSeries;
    })();

    prometheus.Label = (function() {

        /**
         * Properties of a Label.
         * @typedef {Object} prometheus.Label.$Properties
         * @property {string|null} [name] Label name
         * @property {string|null} [value] Label value
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a Label.
         * @memberof prometheus
         * @interface ILabel
         * @augments prometheus.Label.$Properties
         * @deprecated Use prometheus.Label.$Properties instead.
         */

        /**
         * Shape of a Label.
         * @typedef {prometheus.Label.$Properties} prometheus.Label.$Shape
         */

        /**
         * Constructs a new Label.
         * @memberof prometheus
         * @classdesc Represents a Label.
         * @constructor
         * @param {prometheus.Label.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Label = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Label name.
         * @member {string} name
         * @memberof prometheus.Label
         * @instance
         */
        Label.prototype.name = "";

        /**
         * Label value.
         * @member {string} value
         * @memberof prometheus.Label
         * @instance
         */
        Label.prototype.value = "";

        /**
         * Creates a new Label instance using the specified properties.
         * @function create
         * @memberof prometheus.Label
         * @static
         * @param {prometheus.Label.$Properties=} [properties] Properties to set
         * @returns {prometheus.Label} Label instance
         * @type {{
         *   (properties: prometheus.Label.$Shape): prometheus.Label & prometheus.Label.$Shape;
         *   (properties?: prometheus.Label.$Properties): prometheus.Label;
         * }}
         */
        Label.create = function(properties) {
            return new Label(properties);
        };

        /**
         * Encodes the specified Label message. Does not implicitly {@link prometheus.Label.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Label
         * @static
         * @param {prometheus.Label.$Properties} message Label message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Label.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
            if (message.value != null && $Object.hasOwnProperty.call(message, "value") && message.value !== "")
                writer.uint32(/* id 2, wireType 2 =*/18).string(message.value);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a Label message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Label
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Label & prometheus.Label.$Shape} Label
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Label.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Label();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.name = value;
                        else
                            delete message.name;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.value = value;
                        else
                            delete message.value;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a Label message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Label
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Label} Label
         */
        Label.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Label)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Label: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Label();
            if (object.name != null)
                if (typeof object.name !== "string" || object.name.length)
                    message.name = $String(object.name);
            if (object.value != null)
                if (typeof object.value !== "string" || object.value.length)
                    message.value = $String(object.value);
            return message;
        };

        /**
         * Creates a plain object from a Label message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Label
         * @static
         * @param {prometheus.Label} message Label
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Label.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.name = "";
                object.value = "";
            }
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                object.name = message.name;
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                object.value = message.value;
            return object;
        };

        /**
         * Converts this Label to JSON.
         * @function toJSON
         * @memberof prometheus.Label
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Label.prototype.toJSON = function() {
            return Label.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Label;
    })();

    prometheus.LabelMatcher = (function() {

        /**
         * Properties of a LabelMatcher.
         * @typedef {Object} prometheus.LabelMatcher.$Properties
         * @property {prometheus.LabelMatcher.Type|null} [type] LabelMatcher type
         * @property {string|null} [name] LabelMatcher name
         * @property {string|null} [value] LabelMatcher value
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a LabelMatcher.
         * @memberof prometheus
         * @interface ILabelMatcher
         * @augments prometheus.LabelMatcher.$Properties
         * @deprecated Use prometheus.LabelMatcher.$Properties instead.
         */

        /**
         * Shape of a LabelMatcher.
         * @typedef {prometheus.LabelMatcher.$Properties} prometheus.LabelMatcher.$Shape
         */

        /**
         * Constructs a new LabelMatcher.
         * @memberof prometheus
         * @classdesc Represents a LabelMatcher.
         * @constructor
         * @param {prometheus.LabelMatcher.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const LabelMatcher = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * LabelMatcher type.
         * @member {prometheus.LabelMatcher.Type} type
         * @memberof prometheus.LabelMatcher
         * @instance
         */
        LabelMatcher.prototype.type = 0;

        /**
         * LabelMatcher name.
         * @member {string} name
         * @memberof prometheus.LabelMatcher
         * @instance
         */
        LabelMatcher.prototype.name = "";

        /**
         * LabelMatcher value.
         * @member {string} value
         * @memberof prometheus.LabelMatcher
         * @instance
         */
        LabelMatcher.prototype.value = "";

        /**
         * Creates a new LabelMatcher instance using the specified properties.
         * @function create
         * @memberof prometheus.LabelMatcher
         * @static
         * @param {prometheus.LabelMatcher.$Properties=} [properties] Properties to set
         * @returns {prometheus.LabelMatcher} LabelMatcher instance
         * @type {{
         *   (properties: prometheus.LabelMatcher.$Shape): prometheus.LabelMatcher & prometheus.LabelMatcher.$Shape;
         *   (properties?: prometheus.LabelMatcher.$Properties): prometheus.LabelMatcher;
         * }}
         */
        LabelMatcher.create = function(properties) {
            return new LabelMatcher(properties);
        };

        /**
         * Encodes the specified LabelMatcher message. Does not implicitly {@link prometheus.LabelMatcher.verify|verify} messages.
         * @function encode
         * @memberof prometheus.LabelMatcher
         * @static
         * @param {prometheus.LabelMatcher.$Properties} message LabelMatcher message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        LabelMatcher.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== 0)
                writer.uint32(/* id 1, wireType 0 =*/8).int32(message.type);
            if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
            if (message.value != null && $Object.hasOwnProperty.call(message, "value") && message.value !== "")
                writer.uint32(/* id 3, wireType 2 =*/26).string(message.value);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a LabelMatcher message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.LabelMatcher
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.LabelMatcher & prometheus.LabelMatcher.$Shape} LabelMatcher
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        LabelMatcher.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.LabelMatcher();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.int32())
                            message.type = value;
                        else
                            delete message.type;
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.name = value;
                        else
                            delete message.name;
                        continue;
                    }
                case 3: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.value = value;
                        else
                            delete message.value;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a LabelMatcher message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.LabelMatcher
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.LabelMatcher} LabelMatcher
         */
        LabelMatcher.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.LabelMatcher)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.LabelMatcher: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.LabelMatcher();
            if (object.type !== 0 && (typeof object.type !== "string" || $root.prometheus.LabelMatcher.Type[object.type] !== 0))
                switch (object.type) {
                case "EQ":
                case 0:
                    message.type = 0;
                    break;
                case "NEQ":
                case 1:
                    message.type = 1;
                    break;
                case "RE":
                case 2:
                    message.type = 2;
                    break;
                case "NRE":
                case 3:
                    message.type = 3;
                    break;
                default:
                    if (typeof object.type === "number" && (object.type | 0) === object.type)
                        message.type = object.type;
                }
            if (object.name != null)
                if (typeof object.name !== "string" || object.name.length)
                    message.name = $String(object.name);
            if (object.value != null)
                if (typeof object.value !== "string" || object.value.length)
                    message.value = $String(object.value);
            return message;
        };

        /**
         * Creates a plain object from a LabelMatcher message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.LabelMatcher
         * @static
         * @param {prometheus.LabelMatcher} message LabelMatcher
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        LabelMatcher.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.type = options.enums === $String ? "EQ" : 0;
                object.name = "";
                object.value = "";
            }
            if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                object.type = options.enums === $String ? $root.prometheus.LabelMatcher.Type[message.type] === $undefined ? message.type : $root.prometheus.LabelMatcher.Type[message.type] : message.type;
            if (message.name != null && $Object.hasOwnProperty.call(message, "name"))
                object.name = message.name;
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                object.value = message.value;
            return object;
        };

        /**
         * Converts this LabelMatcher to JSON.
         * @function toJSON
         * @memberof prometheus.LabelMatcher
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        LabelMatcher.prototype.toJSON = function() {
            return LabelMatcher.toObject(this, $protobuf.util.toJSONOptions);
        };

        /**
         * Type enum.
         * @name prometheus.LabelMatcher.Type
         * @enum {number}
         * @property {number} EQ=0 EQ value
         * @property {number} NEQ=1 NEQ value
         * @property {number} RE=2 RE value
         * @property {number} NRE=3 NRE value
         */
        LabelMatcher.Type = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "EQ"] = 0;
            values[valuesById[1] = "NEQ"] = 1;
            values[valuesById[2] = "RE"] = 2;
            values[valuesById[3] = "NRE"] = 3;
            return values;
        })();

        return LabelMatcher;
    })();

    prometheus.Chunk = (function() {

        /**
         * Properties of a Chunk.
         * @typedef {Object} prometheus.Chunk.$Properties
         * @property {number|null} [minTimeMs] Chunk minTimeMs
         * @property {number|null} [maxTimeMs] Chunk maxTimeMs
         * @property {prometheus.Chunk.Encoding|null} [type] Chunk type
         * @property {Uint8Array|null} [data] Chunk data
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a Chunk.
         * @memberof prometheus
         * @interface IChunk
         * @augments prometheus.Chunk.$Properties
         * @deprecated Use prometheus.Chunk.$Properties instead.
         */

        /**
         * Shape of a Chunk.
         * @typedef {prometheus.Chunk.$Properties} prometheus.Chunk.$Shape
         */

        /**
         * Constructs a new Chunk.
         * @memberof prometheus
         * @classdesc Represents a Chunk.
         * @constructor
         * @param {prometheus.Chunk.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Chunk = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Chunk minTimeMs.
         * @member {number} minTimeMs
         * @memberof prometheus.Chunk
         * @instance
         */
        Chunk.prototype.minTimeMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Chunk maxTimeMs.
         * @member {number} maxTimeMs
         * @memberof prometheus.Chunk
         * @instance
         */
        Chunk.prototype.maxTimeMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Chunk type.
         * @member {prometheus.Chunk.Encoding} type
         * @memberof prometheus.Chunk
         * @instance
         */
        Chunk.prototype.type = 0;

        /**
         * Chunk data.
         * @member {Uint8Array} data
         * @memberof prometheus.Chunk
         * @instance
         */
        Chunk.prototype.data = $util.newBuffer([]);

        /**
         * Creates a new Chunk instance using the specified properties.
         * @function create
         * @memberof prometheus.Chunk
         * @static
         * @param {prometheus.Chunk.$Properties=} [properties] Properties to set
         * @returns {prometheus.Chunk} Chunk instance
         * @type {{
         *   (properties: prometheus.Chunk.$Shape): prometheus.Chunk & prometheus.Chunk.$Shape;
         *   (properties?: prometheus.Chunk.$Properties): prometheus.Chunk;
         * }}
         */
        Chunk.create = function(properties) {
            return new Chunk(properties);
        };

        /**
         * Encodes the specified Chunk message. Does not implicitly {@link prometheus.Chunk.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Chunk
         * @static
         * @param {prometheus.Chunk.$Properties} message Chunk message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Chunk.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.minTimeMs != null && $Object.hasOwnProperty.call(message, "minTimeMs") && (typeof message.minTimeMs === "object" ? message.minTimeMs.low || message.minTimeMs.high : message.minTimeMs !== 0))
                writer.uint32(/* id 1, wireType 0 =*/8).int64(message.minTimeMs);
            if (message.maxTimeMs != null && $Object.hasOwnProperty.call(message, "maxTimeMs") && (typeof message.maxTimeMs === "object" ? message.maxTimeMs.low || message.maxTimeMs.high : message.maxTimeMs !== 0))
                writer.uint32(/* id 2, wireType 0 =*/16).int64(message.maxTimeMs);
            if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== 0)
                writer.uint32(/* id 3, wireType 0 =*/24).int32(message.type);
            if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.data);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a Chunk message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Chunk
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Chunk & prometheus.Chunk.$Shape} Chunk
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Chunk.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Chunk();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.minTimeMs = value;
                        else
                            delete message.minTimeMs;
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.maxTimeMs = value;
                        else
                            delete message.maxTimeMs;
                        continue;
                    }
                case 3: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.int32())
                            message.type = value;
                        else
                            delete message.type;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.bytes()).length)
                            message.data = value;
                        else
                            delete message.data;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a Chunk message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Chunk
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Chunk} Chunk
         */
        Chunk.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Chunk)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Chunk: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Chunk();
            if (object.minTimeMs != null)
                if (typeof object.minTimeMs === "object" ? object.minTimeMs.low || object.minTimeMs.high : $Number(object.minTimeMs) !== 0)
                    if ($util.Long)
                        message.minTimeMs = $util.Long.fromValue(object.minTimeMs, false);
                    else if (typeof object.minTimeMs === "string")
                        message.minTimeMs = $parseInt(object.minTimeMs, 10);
                    else if (typeof object.minTimeMs === "number")
                        message.minTimeMs = object.minTimeMs;
                    else if (typeof object.minTimeMs === "object")
                        message.minTimeMs = new $util.LongBits(object.minTimeMs.low >>> 0, object.minTimeMs.high >>> 0).toNumber();
            if (object.maxTimeMs != null)
                if (typeof object.maxTimeMs === "object" ? object.maxTimeMs.low || object.maxTimeMs.high : $Number(object.maxTimeMs) !== 0)
                    if ($util.Long)
                        message.maxTimeMs = $util.Long.fromValue(object.maxTimeMs, false);
                    else if (typeof object.maxTimeMs === "string")
                        message.maxTimeMs = $parseInt(object.maxTimeMs, 10);
                    else if (typeof object.maxTimeMs === "number")
                        message.maxTimeMs = object.maxTimeMs;
                    else if (typeof object.maxTimeMs === "object")
                        message.maxTimeMs = new $util.LongBits(object.maxTimeMs.low >>> 0, object.maxTimeMs.high >>> 0).toNumber();
            if (object.type !== 0 && (typeof object.type !== "string" || $root.prometheus.Chunk.Encoding[object.type] !== 0))
                switch (object.type) {
                case "UNKNOWN":
                case 0:
                    message.type = 0;
                    break;
                case "XOR":
                case 1:
                    message.type = 1;
                    break;
                case "HISTOGRAM":
                case 2:
                    message.type = 2;
                    break;
                case "FLOAT_HISTOGRAM":
                case 3:
                    message.type = 3;
                    break;
                case "XOR2":
                case 4:
                    message.type = 4;
                    break;
                case "HISTOGRAM_ST":
                case 5:
                    message.type = 5;
                    break;
                case "FLOAT_HISTOGRAM_ST":
                case 6:
                    message.type = 6;
                    break;
                default:
                    if (typeof object.type === "number" && (object.type | 0) === object.type)
                        message.type = object.type;
                }
            if (object.data != null)
                if (object.data.length)
                    if (typeof object.data === "string")
                        $util.base64.decode(object.data, message.data = $util.newBuffer($util.base64.length(object.data)), 0);
                    else if (object.data.length >= 0)
                        message.data = object.data;
            return message;
        };

        /**
         * Creates a plain object from a Chunk message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Chunk
         * @static
         * @param {prometheus.Chunk} message Chunk
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Chunk.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.minTimeMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.minTimeMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.maxTimeMs = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.maxTimeMs = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                object.type = options.enums === $String ? "UNKNOWN" : 0;
                if (options.bytes === $String)
                    object.data = "";
                else {
                    object.data = [];
                    if (options.bytes !== $Array)
                        object.data = $util.newBuffer(object.data);
                }
            }
            if (message.minTimeMs != null && $Object.hasOwnProperty.call(message, "minTimeMs"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.minTimeMs = typeof message.minTimeMs === "number" ? $BigInt(message.minTimeMs) : $util.Long.fromBits(message.minTimeMs.low >>> 0, message.minTimeMs.high >>> 0, false).toBigInt();
                else if (typeof message.minTimeMs === "number")
                    object.minTimeMs = options.longs === $String ? $String(message.minTimeMs) : message.minTimeMs;
                else
                    object.minTimeMs = options.longs === $String ? $util.Long.prototype.toString.call(message.minTimeMs) : options.longs === $Number ? new $util.LongBits(message.minTimeMs.low >>> 0, message.minTimeMs.high >>> 0).toNumber() : message.minTimeMs;
            if (message.maxTimeMs != null && $Object.hasOwnProperty.call(message, "maxTimeMs"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.maxTimeMs = typeof message.maxTimeMs === "number" ? $BigInt(message.maxTimeMs) : $util.Long.fromBits(message.maxTimeMs.low >>> 0, message.maxTimeMs.high >>> 0, false).toBigInt();
                else if (typeof message.maxTimeMs === "number")
                    object.maxTimeMs = options.longs === $String ? $String(message.maxTimeMs) : message.maxTimeMs;
                else
                    object.maxTimeMs = options.longs === $String ? $util.Long.prototype.toString.call(message.maxTimeMs) : options.longs === $Number ? new $util.LongBits(message.maxTimeMs.low >>> 0, message.maxTimeMs.high >>> 0).toNumber() : message.maxTimeMs;
            if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                object.type = options.enums === $String ? $root.prometheus.Chunk.Encoding[message.type] === $undefined ? message.type : $root.prometheus.Chunk.Encoding[message.type] : message.type;
            if (message.data != null && $Object.hasOwnProperty.call(message, "data"))
                object.data = options.bytes === $String ? $util.base64.encode(message.data, 0, message.data.length) : options.bytes === $Array ? $Array.prototype.slice.call(message.data) : message.data;
            return object;
        };

        /**
         * Converts this Chunk to JSON.
         * @function toJSON
         * @memberof prometheus.Chunk
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Chunk.prototype.toJSON = function() {
            return Chunk.toObject(this, $protobuf.util.toJSONOptions);
        };

        /**
         * Encoding enum.
         * @name prometheus.Chunk.Encoding
         * @enum {number}
         * @property {number} UNKNOWN=0 UNKNOWN value
         * @property {number} XOR=1 XOR value
         * @property {number} HISTOGRAM=2 HISTOGRAM value
         * @property {number} FLOAT_HISTOGRAM=3 FLOAT_HISTOGRAM value
         * @property {number} XOR2=4 XOR2 value
         * @property {number} HISTOGRAM_ST=5 HISTOGRAM_ST value
         * @property {number} FLOAT_HISTOGRAM_ST=6 FLOAT_HISTOGRAM_ST value
         */
        Chunk.Encoding = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "UNKNOWN"] = 0;
            values[valuesById[1] = "XOR"] = 1;
            values[valuesById[2] = "HISTOGRAM"] = 2;
            values[valuesById[3] = "FLOAT_HISTOGRAM"] = 3;
            values[valuesById[4] = "XOR2"] = 4;
            values[valuesById[5] = "HISTOGRAM_ST"] = 5;
            values[valuesById[6] = "FLOAT_HISTOGRAM_ST"] = 6;
            return values;
        })();

        return Chunk;
    })();

    prometheus.ChunkedSeries = (function() {

        /**
         * Properties of a ChunkedSeries.
         * @typedef {Object} prometheus.ChunkedSeries.$Properties
         * @property {Array.<prometheus.Label.$Properties>|null} [labels] ChunkedSeries labels
         * @property {Array.<prometheus.Chunk.$Properties>|null} [chunks] ChunkedSeries chunks
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a ChunkedSeries.
         * @memberof prometheus
         * @interface IChunkedSeries
         * @augments prometheus.ChunkedSeries.$Properties
         * @deprecated Use prometheus.ChunkedSeries.$Properties instead.
         */

        /**
         * Shape of a ChunkedSeries.
         * @typedef {prometheus.ChunkedSeries.$Properties} prometheus.ChunkedSeries.$Shape
         */

        /**
         * Constructs a new ChunkedSeries.
         * @memberof prometheus
         * @classdesc Represents a ChunkedSeries.
         * @constructor
         * @param {prometheus.ChunkedSeries.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const ChunkedSeries = function (properties) {
            this.labels = [];
            this.chunks = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * ChunkedSeries labels.
         * @member {Array.<prometheus.Label.$Properties>} labels
         * @memberof prometheus.ChunkedSeries
         * @instance
         */
        ChunkedSeries.prototype.labels = $util.emptyArray;

        /**
         * ChunkedSeries chunks.
         * @member {Array.<prometheus.Chunk.$Properties>} chunks
         * @memberof prometheus.ChunkedSeries
         * @instance
         */
        ChunkedSeries.prototype.chunks = $util.emptyArray;

        /**
         * Creates a new ChunkedSeries instance using the specified properties.
         * @function create
         * @memberof prometheus.ChunkedSeries
         * @static
         * @param {prometheus.ChunkedSeries.$Properties=} [properties] Properties to set
         * @returns {prometheus.ChunkedSeries} ChunkedSeries instance
         * @type {{
         *   (properties: prometheus.ChunkedSeries.$Shape): prometheus.ChunkedSeries & prometheus.ChunkedSeries.$Shape;
         *   (properties?: prometheus.ChunkedSeries.$Properties): prometheus.ChunkedSeries;
         * }}
         */
        ChunkedSeries.create = function(properties) {
            return new ChunkedSeries(properties);
        };

        /**
         * Encodes the specified ChunkedSeries message. Does not implicitly {@link prometheus.ChunkedSeries.verify|verify} messages.
         * @function encode
         * @memberof prometheus.ChunkedSeries
         * @static
         * @param {prometheus.ChunkedSeries.$Properties} message ChunkedSeries message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        ChunkedSeries.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.labels != null && message.labels.length)
                for (let i = 0; i < message.labels.length; ++i)
                    $root.prometheus.Label.encode(message.labels[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.chunks != null && message.chunks.length)
                for (let i = 0; i < message.chunks.length; ++i)
                    $root.prometheus.Chunk.encode(message.chunks[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a ChunkedSeries message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.ChunkedSeries
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.ChunkedSeries & prometheus.ChunkedSeries.$Shape} ChunkedSeries
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        ChunkedSeries.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.ChunkedSeries();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.labels && message.labels.length))
                            message.labels = [];
                        message.labels.push($root.prometheus.Label.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType !== 2)
                            break;
                        if (!(message.chunks && message.chunks.length))
                            message.chunks = [];
                        message.chunks.push($root.prometheus.Chunk.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a ChunkedSeries message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.ChunkedSeries
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.ChunkedSeries} ChunkedSeries
         */
        ChunkedSeries.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.ChunkedSeries)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.ChunkedSeries: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.ChunkedSeries();
            if (object.labels) {
                if (!$Array.isArray(object.labels))
                    throw $TypeError(".prometheus.ChunkedSeries.labels: array expected");
                message.labels = $Array(object.labels.length);
                for (let i = 0; i < object.labels.length; ++i) {
                    if (!$util.isObject(object.labels[i]))
                        throw $TypeError(".prometheus.ChunkedSeries.labels: object expected");
                    message.labels[i] = $root.prometheus.Label.fromObject(object.labels[i], _depth + 1);
                }
            }
            if (object.chunks) {
                if (!$Array.isArray(object.chunks))
                    throw $TypeError(".prometheus.ChunkedSeries.chunks: array expected");
                message.chunks = $Array(object.chunks.length);
                for (let i = 0; i < object.chunks.length; ++i) {
                    if (!$util.isObject(object.chunks[i]))
                        throw $TypeError(".prometheus.ChunkedSeries.chunks: object expected");
                    message.chunks[i] = $root.prometheus.Chunk.fromObject(object.chunks[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a ChunkedSeries message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.ChunkedSeries
         * @static
         * @param {prometheus.ChunkedSeries} message ChunkedSeries
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        ChunkedSeries.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.labels = [];
                object.chunks = [];
            }
            if (message.labels && message.labels.length) {
                object.labels = $Array(message.labels.length);
                for (let j = 0; j < message.labels.length; ++j)
                    object.labels[j] = $root.prometheus.Label.toObject(message.labels[j], options, _depth + 1);
            }
            if (message.chunks && message.chunks.length) {
                object.chunks = $Array(message.chunks.length);
                for (let j = 0; j < message.chunks.length; ++j)
                    object.chunks[j] = $root.prometheus.Chunk.toObject(message.chunks[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this ChunkedSeries to JSON.
         * @function toJSON
         * @memberof prometheus.ChunkedSeries
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        ChunkedSeries.prototype.toJSON = function() {
            return ChunkedSeries.toObject(this, $protobuf.util.toJSONOptions);
        };

        return ChunkedSeries;
    })();

    prometheus.Exemplar = (function() {

        /**
         * Properties of an Exemplar.
         * @typedef {Object} prometheus.Exemplar.$Properties
         * @property {Array.<prometheus.Label.$Properties>|null} [labels] Exemplar labels
         * @property {number|null} [value] Exemplar value
         * @property {number|null} [timestamp] Exemplar timestamp
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of an Exemplar.
         * @memberof prometheus
         * @interface IExemplar
         * @augments prometheus.Exemplar.$Properties
         * @deprecated Use prometheus.Exemplar.$Properties instead.
         */

        /**
         * Shape of an Exemplar.
         * @typedef {prometheus.Exemplar.$Properties} prometheus.Exemplar.$Shape
         */

        /**
         * Constructs a new Exemplar.
         * @memberof prometheus
         * @classdesc Represents an Exemplar.
         * @constructor
         * @param {prometheus.Exemplar.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Exemplar = function (properties) {
            this.labels = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Exemplar labels.
         * @member {Array.<prometheus.Label.$Properties>} labels
         * @memberof prometheus.Exemplar
         * @instance
         */
        Exemplar.prototype.labels = $util.emptyArray;

        /**
         * Exemplar value.
         * @member {number} value
         * @memberof prometheus.Exemplar
         * @instance
         */
        Exemplar.prototype.value = 0;

        /**
         * Exemplar timestamp.
         * @member {number} timestamp
         * @memberof prometheus.Exemplar
         * @instance
         */
        Exemplar.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Creates a new Exemplar instance using the specified properties.
         * @function create
         * @memberof prometheus.Exemplar
         * @static
         * @param {prometheus.Exemplar.$Properties=} [properties] Properties to set
         * @returns {prometheus.Exemplar} Exemplar instance
         * @type {{
         *   (properties: prometheus.Exemplar.$Shape): prometheus.Exemplar & prometheus.Exemplar.$Shape;
         *   (properties?: prometheus.Exemplar.$Properties): prometheus.Exemplar;
         * }}
         */
        Exemplar.create = function(properties) {
            return new Exemplar(properties);
        };

        /**
         * Encodes the specified Exemplar message. Does not implicitly {@link prometheus.Exemplar.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Exemplar
         * @static
         * @param {prometheus.Exemplar.$Properties} message Exemplar message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Exemplar.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.labels != null && message.labels.length)
                for (let i = 0; i < message.labels.length; ++i)
                    $root.prometheus.Label.encode(message.labels[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.value != null && $Object.hasOwnProperty.call(message, "value") && !$Object.is(message.value, 0))
                writer.uint32(/* id 2, wireType 1 =*/17).double(message.value);
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && (typeof message.timestamp === "object" ? message.timestamp.low || message.timestamp.high : message.timestamp !== 0))
                writer.uint32(/* id 3, wireType 0 =*/24).int64(message.timestamp);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes an Exemplar message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Exemplar
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Exemplar & prometheus.Exemplar.$Shape} Exemplar
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Exemplar.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Exemplar();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 2)
                            break;
                        if (!(message.labels && message.labels.length))
                            message.labels = [];
                        message.labels.push($root.prometheus.Label.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 2: {
                        if (wireType !== 1)
                            break;
                        if (!$Object.is(value = reader.double(), 0))
                            message.value = value;
                        else
                            delete message.value;
                        continue;
                    }
                case 3: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.timestamp = value;
                        else
                            delete message.timestamp;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates an Exemplar message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Exemplar
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Exemplar} Exemplar
         */
        Exemplar.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Exemplar)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Exemplar: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Exemplar();
            if (object.labels) {
                if (!$Array.isArray(object.labels))
                    throw $TypeError(".prometheus.Exemplar.labels: array expected");
                message.labels = $Array(object.labels.length);
                for (let i = 0; i < object.labels.length; ++i) {
                    if (!$util.isObject(object.labels[i]))
                        throw $TypeError(".prometheus.Exemplar.labels: object expected");
                    message.labels[i] = $root.prometheus.Label.fromObject(object.labels[i], _depth + 1);
                }
            }
            if (object.value != null)
                if (!$Object.is($Number(object.value), 0))
                    message.value = $Number(object.value);
            if (object.timestamp != null)
                if (typeof object.timestamp === "object" ? object.timestamp.low || object.timestamp.high : $Number(object.timestamp) !== 0)
                    if ($util.Long)
                        message.timestamp = $util.Long.fromValue(object.timestamp, false);
                    else if (typeof object.timestamp === "string")
                        message.timestamp = $parseInt(object.timestamp, 10);
                    else if (typeof object.timestamp === "number")
                        message.timestamp = object.timestamp;
                    else if (typeof object.timestamp === "object")
                        message.timestamp = new $util.LongBits(object.timestamp.low >>> 0, object.timestamp.high >>> 0).toNumber();
            return message;
        };

        /**
         * Creates a plain object from an Exemplar message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Exemplar
         * @static
         * @param {prometheus.Exemplar} message Exemplar
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Exemplar.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults)
                object.labels = [];
            if (options.defaults) {
                object.value = 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
            }
            if (message.labels && message.labels.length) {
                object.labels = $Array(message.labels.length);
                for (let j = 0; j < message.labels.length; ++j)
                    object.labels[j] = $root.prometheus.Label.toObject(message.labels[j], options, _depth + 1);
            }
            if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                object.value = options.json && !$isFinite(message.value) ? $String(message.value) : message.value;
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.timestamp = typeof message.timestamp === "number" ? $BigInt(message.timestamp) : $util.Long.fromBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0, false).toBigInt();
                else if (typeof message.timestamp === "number")
                    object.timestamp = options.longs === $String ? $String(message.timestamp) : message.timestamp;
                else
                    object.timestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.timestamp) : options.longs === $Number ? new $util.LongBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0).toNumber() : message.timestamp;
            return object;
        };

        /**
         * Converts this Exemplar to JSON.
         * @function toJSON
         * @memberof prometheus.Exemplar
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Exemplar.prototype.toJSON = function() {
            return Exemplar.toObject(this, $protobuf.util.toJSONOptions);
        };

        return Exemplar;
    })();

    prometheus.Histogram = (function() {

        /**
         * Properties of a Histogram.
         * @typedef {Object} prometheus.Histogram.$Properties
         * @property {number|null} [countInt] Histogram countInt
         * @property {number|null} [countFloat] Histogram countFloat
         * @property {number|null} [sum] Histogram sum
         * @property {number|null} [schema] Histogram schema
         * @property {number|null} [zeroThreshold] Histogram zeroThreshold
         * @property {number|null} [zeroCountInt] Histogram zeroCountInt
         * @property {number|null} [zeroCountFloat] Histogram zeroCountFloat
         * @property {Array.<prometheus.BucketSpan.$Properties>|null} [negativeSpans] Histogram negativeSpans
         * @property {Array.<number>|null} [negativeDeltas] Histogram negativeDeltas
         * @property {Array.<number>|null} [negativeCounts] Histogram negativeCounts
         * @property {Array.<prometheus.BucketSpan.$Properties>|null} [positiveSpans] Histogram positiveSpans
         * @property {Array.<number>|null} [positiveDeltas] Histogram positiveDeltas
         * @property {Array.<number>|null} [positiveCounts] Histogram positiveCounts
         * @property {prometheus.Histogram.ResetHint|null} [resetHint] Histogram resetHint
         * @property {number|null} [timestamp] Histogram timestamp
         * @property {Array.<number>|null} [customValues] Histogram customValues
         * @property {"countInt"|"countFloat"} [count] Histogram count
         * @property {"zeroCountInt"|"zeroCountFloat"} [zeroCount] Histogram zeroCount
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a Histogram.
         * @memberof prometheus
         * @interface IHistogram
         * @augments prometheus.Histogram.$Properties
         * @deprecated Use prometheus.Histogram.$Properties instead.
         */

        /**
         * Narrowed shape of a Histogram.
         * @typedef {{
         *   countInt?: number|null;
         *   countFloat?: number|null;
         *   sum?: number|null;
         *   schema?: number|null;
         *   zeroThreshold?: number|null;
         *   zeroCountInt?: number|null;
         *   zeroCountFloat?: number|null;
         *   negativeSpans?: Array.<prometheus.BucketSpan.$Shape>|null;
         *   negativeDeltas?: Array.<number>|null;
         *   negativeCounts?: Array.<number>|null;
         *   positiveSpans?: Array.<prometheus.BucketSpan.$Shape>|null;
         *   positiveDeltas?: Array.<number>|null;
         *   positiveCounts?: Array.<number>|null;
         *   resetHint?: prometheus.Histogram.ResetHint|null;
         *   timestamp?: number|null;
         *   customValues?: Array.<number>|null;
         *   $unknowns?: Array.<Uint8Array>;
         * } & (
         *   ({ count?: undefined; countInt?: null; countFloat?: null }|{ count?: "countInt"; countInt: number; countFloat?: null }|{ count?: "countFloat"; countInt?: null; countFloat: number })
         * ) & (
         *   ({ zeroCount?: undefined; zeroCountInt?: null; zeroCountFloat?: null }|{ zeroCount?: "zeroCountInt"; zeroCountInt: number; zeroCountFloat?: null }|{ zeroCount?: "zeroCountFloat"; zeroCountInt?: null; zeroCountFloat: number })
         * )} prometheus.Histogram.$Shape
         */

        /**
         * Constructs a new Histogram.
         * @memberof prometheus
         * @classdesc Represents a Histogram.
         * @constructor
         * @param {prometheus.Histogram.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const Histogram = function (properties) {
            this.negativeSpans = [];
            this.negativeDeltas = [];
            this.negativeCounts = [];
            this.positiveSpans = [];
            this.positiveDeltas = [];
            this.positiveCounts = [];
            this.customValues = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * Histogram countInt.
         * @member {number|null|undefined} countInt
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.countInt = null;

        /**
         * Histogram countFloat.
         * @member {number|null|undefined} countFloat
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.countFloat = null;

        /**
         * Histogram sum.
         * @member {number} sum
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.sum = 0;

        /**
         * Histogram schema.
         * @member {number} schema
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.schema = 0;

        /**
         * Histogram zeroThreshold.
         * @member {number} zeroThreshold
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.zeroThreshold = 0;

        /**
         * Histogram zeroCountInt.
         * @member {number|null|undefined} zeroCountInt
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.zeroCountInt = null;

        /**
         * Histogram zeroCountFloat.
         * @member {number|null|undefined} zeroCountFloat
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.zeroCountFloat = null;

        /**
         * Histogram negativeSpans.
         * @member {Array.<prometheus.BucketSpan.$Properties>} negativeSpans
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.negativeSpans = $util.emptyArray;

        /**
         * Histogram negativeDeltas.
         * @member {Array.<number>} negativeDeltas
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.negativeDeltas = $util.emptyArray;

        /**
         * Histogram negativeCounts.
         * @member {Array.<number>} negativeCounts
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.negativeCounts = $util.emptyArray;

        /**
         * Histogram positiveSpans.
         * @member {Array.<prometheus.BucketSpan.$Properties>} positiveSpans
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.positiveSpans = $util.emptyArray;

        /**
         * Histogram positiveDeltas.
         * @member {Array.<number>} positiveDeltas
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.positiveDeltas = $util.emptyArray;

        /**
         * Histogram positiveCounts.
         * @member {Array.<number>} positiveCounts
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.positiveCounts = $util.emptyArray;

        /**
         * Histogram resetHint.
         * @member {prometheus.Histogram.ResetHint} resetHint
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.resetHint = 0;

        /**
         * Histogram timestamp.
         * @member {number} timestamp
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

        /**
         * Histogram customValues.
         * @member {Array.<number>} customValues
         * @memberof prometheus.Histogram
         * @instance
         */
        Histogram.prototype.customValues = $util.emptyArray;

        // OneOf field names bound to virtual getters and setters
        let $oneOfFields;

        /**
         * Histogram count.
         * @member {"countInt"|"countFloat"|undefined} count
         * @memberof prometheus.Histogram
         * @instance
         */
        $Object.defineProperty(Histogram.prototype, "count", {
            get: $util.oneOfGetter($oneOfFields = ["countInt", "countFloat"]),
            set: $util.oneOfSetter($oneOfFields)
        });

        /**
         * Histogram zeroCount.
         * @member {"zeroCountInt"|"zeroCountFloat"|undefined} zeroCount
         * @memberof prometheus.Histogram
         * @instance
         */
        $Object.defineProperty(Histogram.prototype, "zeroCount", {
            get: $util.oneOfGetter($oneOfFields = ["zeroCountInt", "zeroCountFloat"]),
            set: $util.oneOfSetter($oneOfFields)
        });

        /**
         * Creates a new Histogram instance using the specified properties.
         * @function create
         * @memberof prometheus.Histogram
         * @static
         * @param {prometheus.Histogram.$Properties=} [properties] Properties to set
         * @returns {prometheus.Histogram} Histogram instance
         * @type {{
         *   (properties: prometheus.Histogram.$Shape): prometheus.Histogram & prometheus.Histogram.$Shape;
         *   (properties?: prometheus.Histogram.$Properties): prometheus.Histogram;
         * }}
         */
        Histogram.create = function(properties) {
            return new Histogram(properties);
        };

        /**
         * Encodes the specified Histogram message. Does not implicitly {@link prometheus.Histogram.verify|verify} messages.
         * @function encode
         * @memberof prometheus.Histogram
         * @static
         * @param {prometheus.Histogram.$Properties} message Histogram message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        Histogram.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.countInt != null && $Object.hasOwnProperty.call(message, "countInt"))
                writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.countInt);
            if (message.countFloat != null && $Object.hasOwnProperty.call(message, "countFloat"))
                writer.uint32(/* id 2, wireType 1 =*/17).double(message.countFloat);
            if (message.sum != null && $Object.hasOwnProperty.call(message, "sum") && !$Object.is(message.sum, 0))
                writer.uint32(/* id 3, wireType 1 =*/25).double(message.sum);
            if (message.schema != null && $Object.hasOwnProperty.call(message, "schema") && message.schema !== 0)
                writer.uint32(/* id 4, wireType 0 =*/32).sint32(message.schema);
            if (message.zeroThreshold != null && $Object.hasOwnProperty.call(message, "zeroThreshold") && !$Object.is(message.zeroThreshold, 0))
                writer.uint32(/* id 5, wireType 1 =*/41).double(message.zeroThreshold);
            if (message.zeroCountInt != null && $Object.hasOwnProperty.call(message, "zeroCountInt"))
                writer.uint32(/* id 6, wireType 0 =*/48).uint64(message.zeroCountInt);
            if (message.zeroCountFloat != null && $Object.hasOwnProperty.call(message, "zeroCountFloat"))
                writer.uint32(/* id 7, wireType 1 =*/57).double(message.zeroCountFloat);
            if (message.negativeSpans != null && message.negativeSpans.length)
                for (let i = 0; i < message.negativeSpans.length; ++i)
                    $root.prometheus.BucketSpan.encode(message.negativeSpans[i], writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
            if (message.negativeDeltas != null && message.negativeDeltas.length)
                writer.uint32(/* id 9, wireType 2 =*/74).sint64s(message.negativeDeltas);
            if (message.negativeCounts != null && message.negativeCounts.length)
                writer.uint32(/* id 10, wireType 2 =*/82).doubles(message.negativeCounts);
            if (message.positiveSpans != null && message.positiveSpans.length)
                for (let i = 0; i < message.positiveSpans.length; ++i)
                    $root.prometheus.BucketSpan.encode(message.positiveSpans[i], writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
            if (message.positiveDeltas != null && message.positiveDeltas.length)
                writer.uint32(/* id 12, wireType 2 =*/98).sint64s(message.positiveDeltas);
            if (message.positiveCounts != null && message.positiveCounts.length)
                writer.uint32(/* id 13, wireType 2 =*/106).doubles(message.positiveCounts);
            if (message.resetHint != null && $Object.hasOwnProperty.call(message, "resetHint") && message.resetHint !== 0)
                writer.uint32(/* id 14, wireType 0 =*/112).int32(message.resetHint);
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp") && (typeof message.timestamp === "object" ? message.timestamp.low || message.timestamp.high : message.timestamp !== 0))
                writer.uint32(/* id 15, wireType 0 =*/120).int64(message.timestamp);
            if (message.customValues != null && message.customValues.length)
                writer.uint32(/* id 16, wireType 2 =*/130).doubles(message.customValues);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a Histogram message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.Histogram
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.Histogram & prometheus.Histogram.$Shape} Histogram
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        Histogram.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.Histogram();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        message.countInt = reader.uint64();
                        message.count = "countInt";
                        continue;
                    }
                case 2: {
                        if (wireType !== 1)
                            break;
                        message.countFloat = reader.double();
                        message.count = "countFloat";
                        continue;
                    }
                case 3: {
                        if (wireType !== 1)
                            break;
                        if (!$Object.is(value = reader.double(), 0))
                            message.sum = value;
                        else
                            delete message.sum;
                        continue;
                    }
                case 4: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.sint32())
                            message.schema = value;
                        else
                            delete message.schema;
                        continue;
                    }
                case 5: {
                        if (wireType !== 1)
                            break;
                        if (!$Object.is(value = reader.double(), 0))
                            message.zeroThreshold = value;
                        else
                            delete message.zeroThreshold;
                        continue;
                    }
                case 6: {
                        if (wireType !== 0)
                            break;
                        message.zeroCountInt = reader.uint64();
                        message.zeroCount = "zeroCountInt";
                        continue;
                    }
                case 7: {
                        if (wireType !== 1)
                            break;
                        message.zeroCountFloat = reader.double();
                        message.zeroCount = "zeroCountFloat";
                        continue;
                    }
                case 8: {
                        if (wireType !== 2)
                            break;
                        if (!(message.negativeSpans && message.negativeSpans.length))
                            message.negativeSpans = [];
                        message.negativeSpans.push($root.prometheus.BucketSpan.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 9: {
                        if (wireType === 2) {
                            if (!(message.negativeDeltas && message.negativeDeltas.length))
                                message.negativeDeltas = [];
                            reader.sint64s(message.negativeDeltas);
                            continue;
                        }
                        if (wireType !== 0)
                            break;
                        if (!(message.negativeDeltas && message.negativeDeltas.length))
                            message.negativeDeltas = [];
                        message.negativeDeltas.push(reader.sint64());
                        continue;
                    }
                case 10: {
                        if (wireType === 2) {
                            if (!(message.negativeCounts && message.negativeCounts.length))
                                message.negativeCounts = [];
                            reader.doubles(message.negativeCounts);
                            continue;
                        }
                        if (wireType !== 1)
                            break;
                        if (!(message.negativeCounts && message.negativeCounts.length))
                            message.negativeCounts = [];
                        message.negativeCounts.push(reader.double());
                        continue;
                    }
                case 11: {
                        if (wireType !== 2)
                            break;
                        if (!(message.positiveSpans && message.positiveSpans.length))
                            message.positiveSpans = [];
                        message.positiveSpans.push($root.prometheus.BucketSpan.decode(reader, reader.size(), $undefined, _depth + 1));
                        continue;
                    }
                case 12: {
                        if (wireType === 2) {
                            if (!(message.positiveDeltas && message.positiveDeltas.length))
                                message.positiveDeltas = [];
                            reader.sint64s(message.positiveDeltas);
                            continue;
                        }
                        if (wireType !== 0)
                            break;
                        if (!(message.positiveDeltas && message.positiveDeltas.length))
                            message.positiveDeltas = [];
                        message.positiveDeltas.push(reader.sint64());
                        continue;
                    }
                case 13: {
                        if (wireType === 2) {
                            if (!(message.positiveCounts && message.positiveCounts.length))
                                message.positiveCounts = [];
                            reader.doubles(message.positiveCounts);
                            continue;
                        }
                        if (wireType !== 1)
                            break;
                        if (!(message.positiveCounts && message.positiveCounts.length))
                            message.positiveCounts = [];
                        message.positiveCounts.push(reader.double());
                        continue;
                    }
                case 14: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.int32())
                            message.resetHint = value;
                        else
                            delete message.resetHint;
                        continue;
                    }
                case 15: {
                        if (wireType !== 0)
                            break;
                        if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                            message.timestamp = value;
                        else
                            delete message.timestamp;
                        continue;
                    }
                case 16: {
                        if (wireType === 2) {
                            if (!(message.customValues && message.customValues.length))
                                message.customValues = [];
                            reader.doubles(message.customValues);
                            continue;
                        }
                        if (wireType !== 1)
                            break;
                        if (!(message.customValues && message.customValues.length))
                            message.customValues = [];
                        message.customValues.push(reader.double());
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a Histogram message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.Histogram
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.Histogram} Histogram
         */
        Histogram.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.Histogram)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.Histogram: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.Histogram();
            if (object.countInt != null)
                if ($util.Long)
                    message.countInt = $util.Long.fromValue(object.countInt, true);
                else if (typeof object.countInt === "string")
                    message.countInt = $parseInt(object.countInt, 10);
                else if (typeof object.countInt === "number")
                    message.countInt = object.countInt;
                else if (typeof object.countInt === "object")
                    message.countInt = new $util.LongBits(object.countInt.low >>> 0, object.countInt.high >>> 0).toNumber(true);
            if (object.countFloat != null)
                message.countFloat = $Number(object.countFloat);
            if (object.sum != null)
                if (!$Object.is($Number(object.sum), 0))
                    message.sum = $Number(object.sum);
            if (object.schema != null)
                if ($Number(object.schema) !== 0)
                    message.schema = object.schema | 0;
            if (object.zeroThreshold != null)
                if (!$Object.is($Number(object.zeroThreshold), 0))
                    message.zeroThreshold = $Number(object.zeroThreshold);
            if (object.zeroCountInt != null)
                if ($util.Long)
                    message.zeroCountInt = $util.Long.fromValue(object.zeroCountInt, true);
                else if (typeof object.zeroCountInt === "string")
                    message.zeroCountInt = $parseInt(object.zeroCountInt, 10);
                else if (typeof object.zeroCountInt === "number")
                    message.zeroCountInt = object.zeroCountInt;
                else if (typeof object.zeroCountInt === "object")
                    message.zeroCountInt = new $util.LongBits(object.zeroCountInt.low >>> 0, object.zeroCountInt.high >>> 0).toNumber(true);
            if (object.zeroCountFloat != null)
                message.zeroCountFloat = $Number(object.zeroCountFloat);
            if (object.negativeSpans) {
                if (!$Array.isArray(object.negativeSpans))
                    throw $TypeError(".prometheus.Histogram.negativeSpans: array expected");
                message.negativeSpans = $Array(object.negativeSpans.length);
                for (let i = 0; i < object.negativeSpans.length; ++i) {
                    if (!$util.isObject(object.negativeSpans[i]))
                        throw $TypeError(".prometheus.Histogram.negativeSpans: object expected");
                    message.negativeSpans[i] = $root.prometheus.BucketSpan.fromObject(object.negativeSpans[i], _depth + 1);
                }
            }
            if (object.negativeDeltas) {
                if (!$Array.isArray(object.negativeDeltas))
                    throw $TypeError(".prometheus.Histogram.negativeDeltas: array expected");
                message.negativeDeltas = $Array(object.negativeDeltas.length);
                for (let i = 0; i < object.negativeDeltas.length; ++i)
                    if ($util.Long)
                        message.negativeDeltas[i] = $util.Long.fromValue(object.negativeDeltas[i], false);
                    else if (typeof object.negativeDeltas[i] === "string")
                        message.negativeDeltas[i] = $parseInt(object.negativeDeltas[i], 10);
                    else if (typeof object.negativeDeltas[i] === "number")
                        message.negativeDeltas[i] = object.negativeDeltas[i];
                    else if (typeof object.negativeDeltas[i] === "object")
                        message.negativeDeltas[i] = new $util.LongBits(object.negativeDeltas[i].low >>> 0, object.negativeDeltas[i].high >>> 0).toNumber();
            }
            if (object.negativeCounts) {
                if (!$Array.isArray(object.negativeCounts))
                    throw $TypeError(".prometheus.Histogram.negativeCounts: array expected");
                message.negativeCounts = $Array(object.negativeCounts.length);
                for (let i = 0; i < object.negativeCounts.length; ++i)
                    message.negativeCounts[i] = $Number(object.negativeCounts[i]);
            }
            if (object.positiveSpans) {
                if (!$Array.isArray(object.positiveSpans))
                    throw $TypeError(".prometheus.Histogram.positiveSpans: array expected");
                message.positiveSpans = $Array(object.positiveSpans.length);
                for (let i = 0; i < object.positiveSpans.length; ++i) {
                    if (!$util.isObject(object.positiveSpans[i]))
                        throw $TypeError(".prometheus.Histogram.positiveSpans: object expected");
                    message.positiveSpans[i] = $root.prometheus.BucketSpan.fromObject(object.positiveSpans[i], _depth + 1);
                }
            }
            if (object.positiveDeltas) {
                if (!$Array.isArray(object.positiveDeltas))
                    throw $TypeError(".prometheus.Histogram.positiveDeltas: array expected");
                message.positiveDeltas = $Array(object.positiveDeltas.length);
                for (let i = 0; i < object.positiveDeltas.length; ++i)
                    if ($util.Long)
                        message.positiveDeltas[i] = $util.Long.fromValue(object.positiveDeltas[i], false);
                    else if (typeof object.positiveDeltas[i] === "string")
                        message.positiveDeltas[i] = $parseInt(object.positiveDeltas[i], 10);
                    else if (typeof object.positiveDeltas[i] === "number")
                        message.positiveDeltas[i] = object.positiveDeltas[i];
                    else if (typeof object.positiveDeltas[i] === "object")
                        message.positiveDeltas[i] = new $util.LongBits(object.positiveDeltas[i].low >>> 0, object.positiveDeltas[i].high >>> 0).toNumber();
            }
            if (object.positiveCounts) {
                if (!$Array.isArray(object.positiveCounts))
                    throw $TypeError(".prometheus.Histogram.positiveCounts: array expected");
                message.positiveCounts = $Array(object.positiveCounts.length);
                for (let i = 0; i < object.positiveCounts.length; ++i)
                    message.positiveCounts[i] = $Number(object.positiveCounts[i]);
            }
            if (object.resetHint !== 0 && (typeof object.resetHint !== "string" || $root.prometheus.Histogram.ResetHint[object.resetHint] !== 0))
                switch (object.resetHint) {
                case "UNKNOWN":
                case 0:
                    message.resetHint = 0;
                    break;
                case "YES":
                case 1:
                    message.resetHint = 1;
                    break;
                case "NO":
                case 2:
                    message.resetHint = 2;
                    break;
                case "GAUGE":
                case 3:
                    message.resetHint = 3;
                    break;
                default:
                    if (typeof object.resetHint === "number" && (object.resetHint | 0) === object.resetHint)
                        message.resetHint = object.resetHint;
                }
            if (object.timestamp != null)
                if (typeof object.timestamp === "object" ? object.timestamp.low || object.timestamp.high : $Number(object.timestamp) !== 0)
                    if ($util.Long)
                        message.timestamp = $util.Long.fromValue(object.timestamp, false);
                    else if (typeof object.timestamp === "string")
                        message.timestamp = $parseInt(object.timestamp, 10);
                    else if (typeof object.timestamp === "number")
                        message.timestamp = object.timestamp;
                    else if (typeof object.timestamp === "object")
                        message.timestamp = new $util.LongBits(object.timestamp.low >>> 0, object.timestamp.high >>> 0).toNumber();
            if (object.customValues) {
                if (!$Array.isArray(object.customValues))
                    throw $TypeError(".prometheus.Histogram.customValues: array expected");
                message.customValues = $Array(object.customValues.length);
                for (let i = 0; i < object.customValues.length; ++i)
                    message.customValues[i] = $Number(object.customValues[i]);
            }
            return message;
        };

        /**
         * Creates a plain object from a Histogram message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.Histogram
         * @static
         * @param {prometheus.Histogram} message Histogram
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        Histogram.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.negativeSpans = [];
                object.negativeDeltas = [];
                object.negativeCounts = [];
                object.positiveSpans = [];
                object.positiveDeltas = [];
                object.positiveCounts = [];
                object.customValues = [];
            }
            if (options.defaults) {
                object.sum = 0;
                object.schema = 0;
                object.zeroThreshold = 0;
                object.resetHint = options.enums === $String ? "UNKNOWN" : 0;
                if ($util.Long) {
                    let long = new $util.Long(0, 0, false);
                    object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                } else
                    object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
            }
            if (message.countInt != null && $Object.hasOwnProperty.call(message, "countInt")) {
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.countInt = typeof message.countInt === "number" ? $BigInt(message.countInt) : $util.Long.fromBits(message.countInt.low >>> 0, message.countInt.high >>> 0, true).toBigInt();
                else if (typeof message.countInt === "number")
                    object.countInt = options.longs === $String ? $String(message.countInt) : message.countInt;
                else
                    object.countInt = options.longs === $String ? $util.Long.prototype.toString.call(message.countInt) : options.longs === $Number ? new $util.LongBits(message.countInt.low >>> 0, message.countInt.high >>> 0).toNumber(true) : message.countInt;
                if (options.oneofs)
                    object.count = "countInt";
            }
            if (message.countFloat != null && $Object.hasOwnProperty.call(message, "countFloat")) {
                object.countFloat = options.json && !$isFinite(message.countFloat) ? $String(message.countFloat) : message.countFloat;
                if (options.oneofs)
                    object.count = "countFloat";
            }
            if (message.sum != null && $Object.hasOwnProperty.call(message, "sum"))
                object.sum = options.json && !$isFinite(message.sum) ? $String(message.sum) : message.sum;
            if (message.schema != null && $Object.hasOwnProperty.call(message, "schema"))
                object.schema = message.schema;
            if (message.zeroThreshold != null && $Object.hasOwnProperty.call(message, "zeroThreshold"))
                object.zeroThreshold = options.json && !$isFinite(message.zeroThreshold) ? $String(message.zeroThreshold) : message.zeroThreshold;
            if (message.zeroCountInt != null && $Object.hasOwnProperty.call(message, "zeroCountInt")) {
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.zeroCountInt = typeof message.zeroCountInt === "number" ? $BigInt(message.zeroCountInt) : $util.Long.fromBits(message.zeroCountInt.low >>> 0, message.zeroCountInt.high >>> 0, true).toBigInt();
                else if (typeof message.zeroCountInt === "number")
                    object.zeroCountInt = options.longs === $String ? $String(message.zeroCountInt) : message.zeroCountInt;
                else
                    object.zeroCountInt = options.longs === $String ? $util.Long.prototype.toString.call(message.zeroCountInt) : options.longs === $Number ? new $util.LongBits(message.zeroCountInt.low >>> 0, message.zeroCountInt.high >>> 0).toNumber(true) : message.zeroCountInt;
                if (options.oneofs)
                    object.zeroCount = "zeroCountInt";
            }
            if (message.zeroCountFloat != null && $Object.hasOwnProperty.call(message, "zeroCountFloat")) {
                object.zeroCountFloat = options.json && !$isFinite(message.zeroCountFloat) ? $String(message.zeroCountFloat) : message.zeroCountFloat;
                if (options.oneofs)
                    object.zeroCount = "zeroCountFloat";
            }
            if (message.negativeSpans && message.negativeSpans.length) {
                object.negativeSpans = $Array(message.negativeSpans.length);
                for (let j = 0; j < message.negativeSpans.length; ++j)
                    object.negativeSpans[j] = $root.prometheus.BucketSpan.toObject(message.negativeSpans[j], options, _depth + 1);
            }
            if (message.negativeDeltas && message.negativeDeltas.length) {
                object.negativeDeltas = $Array(message.negativeDeltas.length);
                for (let j = 0; j < message.negativeDeltas.length; ++j)
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.negativeDeltas[j] = typeof message.negativeDeltas[j] === "number" ? $BigInt(message.negativeDeltas[j]) : $util.Long.fromBits(message.negativeDeltas[j].low >>> 0, message.negativeDeltas[j].high >>> 0, false).toBigInt();
                    else if (typeof message.negativeDeltas[j] === "number")
                        object.negativeDeltas[j] = options.longs === $String ? $String(message.negativeDeltas[j]) : message.negativeDeltas[j];
                    else
                        object.negativeDeltas[j] = options.longs === $String ? $util.Long.prototype.toString.call(message.negativeDeltas[j]) : options.longs === $Number ? new $util.LongBits(message.negativeDeltas[j].low >>> 0, message.negativeDeltas[j].high >>> 0).toNumber() : message.negativeDeltas[j];
            }
            if (message.negativeCounts && message.negativeCounts.length) {
                object.negativeCounts = $Array(message.negativeCounts.length);
                for (let j = 0; j < message.negativeCounts.length; ++j)
                    object.negativeCounts[j] = options.json && !$isFinite(message.negativeCounts[j]) ? $String(message.negativeCounts[j]) : message.negativeCounts[j];
            }
            if (message.positiveSpans && message.positiveSpans.length) {
                object.positiveSpans = $Array(message.positiveSpans.length);
                for (let j = 0; j < message.positiveSpans.length; ++j)
                    object.positiveSpans[j] = $root.prometheus.BucketSpan.toObject(message.positiveSpans[j], options, _depth + 1);
            }
            if (message.positiveDeltas && message.positiveDeltas.length) {
                object.positiveDeltas = $Array(message.positiveDeltas.length);
                for (let j = 0; j < message.positiveDeltas.length; ++j)
                    if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                        object.positiveDeltas[j] = typeof message.positiveDeltas[j] === "number" ? $BigInt(message.positiveDeltas[j]) : $util.Long.fromBits(message.positiveDeltas[j].low >>> 0, message.positiveDeltas[j].high >>> 0, false).toBigInt();
                    else if (typeof message.positiveDeltas[j] === "number")
                        object.positiveDeltas[j] = options.longs === $String ? $String(message.positiveDeltas[j]) : message.positiveDeltas[j];
                    else
                        object.positiveDeltas[j] = options.longs === $String ? $util.Long.prototype.toString.call(message.positiveDeltas[j]) : options.longs === $Number ? new $util.LongBits(message.positiveDeltas[j].low >>> 0, message.positiveDeltas[j].high >>> 0).toNumber() : message.positiveDeltas[j];
            }
            if (message.positiveCounts && message.positiveCounts.length) {
                object.positiveCounts = $Array(message.positiveCounts.length);
                for (let j = 0; j < message.positiveCounts.length; ++j)
                    object.positiveCounts[j] = options.json && !$isFinite(message.positiveCounts[j]) ? $String(message.positiveCounts[j]) : message.positiveCounts[j];
            }
            if (message.resetHint != null && $Object.hasOwnProperty.call(message, "resetHint"))
                object.resetHint = options.enums === $String ? $root.prometheus.Histogram.ResetHint[message.resetHint] === $undefined ? message.resetHint : $root.prometheus.Histogram.ResetHint[message.resetHint] : message.resetHint;
            if (message.timestamp != null && $Object.hasOwnProperty.call(message, "timestamp"))
                if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                    object.timestamp = typeof message.timestamp === "number" ? $BigInt(message.timestamp) : $util.Long.fromBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0, false).toBigInt();
                else if (typeof message.timestamp === "number")
                    object.timestamp = options.longs === $String ? $String(message.timestamp) : message.timestamp;
                else
                    object.timestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.timestamp) : options.longs === $Number ? new $util.LongBits(message.timestamp.low >>> 0, message.timestamp.high >>> 0).toNumber() : message.timestamp;
            if (message.customValues && message.customValues.length) {
                object.customValues = $Array(message.customValues.length);
                for (let j = 0; j < message.customValues.length; ++j)
                    object.customValues[j] = options.json && !$isFinite(message.customValues[j]) ? $String(message.customValues[j]) : message.customValues[j];
            }
            return object;
        };

        /**
         * Converts this Histogram to JSON.
         * @function toJSON
         * @memberof prometheus.Histogram
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        Histogram.prototype.toJSON = function() {
            return Histogram.toObject(this, $protobuf.util.toJSONOptions);
        };

        /**
         * ResetHint enum.
         * @name prometheus.Histogram.ResetHint
         * @enum {number}
         * @property {number} UNKNOWN=0 UNKNOWN value
         * @property {number} YES=1 YES value
         * @property {number} NO=2 NO value
         * @property {number} GAUGE=3 GAUGE value
         */
        Histogram.ResetHint = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "UNKNOWN"] = 0;
            values[valuesById[1] = "YES"] = 1;
            values[valuesById[2] = "NO"] = 2;
            values[valuesById[3] = "GAUGE"] = 3;
            return values;
        })();

        return Histogram;
    })();

    prometheus.BucketSpan = (function() {

        /**
         * Properties of a BucketSpan.
         * @typedef {Object} prometheus.BucketSpan.$Properties
         * @property {number|null} [offset] BucketSpan offset
         * @property {number|null} [length] BucketSpan length
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a BucketSpan.
         * @memberof prometheus
         * @interface IBucketSpan
         * @augments prometheus.BucketSpan.$Properties
         * @deprecated Use prometheus.BucketSpan.$Properties instead.
         */

        /**
         * Shape of a BucketSpan.
         * @typedef {prometheus.BucketSpan.$Properties} prometheus.BucketSpan.$Shape
         */

        /**
         * Constructs a new BucketSpan.
         * @memberof prometheus
         * @classdesc Represents a BucketSpan.
         * @constructor
         * @param {prometheus.BucketSpan.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const BucketSpan = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * BucketSpan offset.
         * @member {number} offset
         * @memberof prometheus.BucketSpan
         * @instance
         */
        BucketSpan.prototype.offset = 0;

        /**
         * BucketSpan length.
         * @member {number} length
         * @memberof prometheus.BucketSpan
         * @instance
         */
        BucketSpan.prototype.length = 0;

        /**
         * Creates a new BucketSpan instance using the specified properties.
         * @function create
         * @memberof prometheus.BucketSpan
         * @static
         * @param {prometheus.BucketSpan.$Properties=} [properties] Properties to set
         * @returns {prometheus.BucketSpan} BucketSpan instance
         * @type {{
         *   (properties: prometheus.BucketSpan.$Shape): prometheus.BucketSpan & prometheus.BucketSpan.$Shape;
         *   (properties?: prometheus.BucketSpan.$Properties): prometheus.BucketSpan;
         * }}
         */
        BucketSpan.create = function(properties) {
            return new BucketSpan(properties);
        };

        /**
         * Encodes the specified BucketSpan message. Does not implicitly {@link prometheus.BucketSpan.verify|verify} messages.
         * @function encode
         * @memberof prometheus.BucketSpan
         * @static
         * @param {prometheus.BucketSpan.$Properties} message BucketSpan message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        BucketSpan.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.offset != null && $Object.hasOwnProperty.call(message, "offset") && message.offset !== 0)
                writer.uint32(/* id 1, wireType 0 =*/8).sint32(message.offset);
            if (message.length != null && $Object.hasOwnProperty.call(message, "length") && message.length !== 0)
                writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.length);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a BucketSpan message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.BucketSpan
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.BucketSpan & prometheus.BucketSpan.$Shape} BucketSpan
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        BucketSpan.decode = function (reader, length, _end, _depth, _target) {
            if (!(reader instanceof $Reader))
                reader = $Reader.create(reader);
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $Reader.recursionLimit)
                throw $Error("max depth exceeded");
            let end, message, value;
            if (length === $undefined)
                end = reader.len;
            else {
                end = reader.pos + length;
                if (end > reader.len)
                    throw $RangeError("index out of range");
                length = reader.len;
                reader.len = end;
            }
            message = _target || new $root.prometheus.BucketSpan();
            while (reader.pos < end) {
                let start = reader.pos;
                let tag = reader.tag();
                if (tag === _end) {
                    _end = $undefined;
                    break;
                }
                let wireType = tag & 7;
                switch (tag >>>= 3) {
                case 1: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.sint32())
                            message.offset = value;
                        else
                            delete message.offset;
                        continue;
                    }
                case 2: {
                        if (wireType !== 0)
                            break;
                        if (value = reader.uint32())
                            message.length = value;
                        else
                            delete message.length;
                        continue;
                    }
                }
                reader.skipType(wireType, _depth, tag);
                if (!reader.discardUnknown) {
                    $util.makeProp(message, "$unknowns", false);
                    (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                }
            }
            if (length !== $undefined) {
                if (reader.pos !== end)
                    throw $RangeError("index out of range");
                reader.len = length;
            }
            if (_end !== $undefined)
                throw $Error("missing end group");
            return message;
        };

        /**
         * Creates a BucketSpan message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.BucketSpan
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.BucketSpan} BucketSpan
         */
        BucketSpan.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.BucketSpan)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.BucketSpan: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.BucketSpan();
            if (object.offset != null)
                if ($Number(object.offset) !== 0)
                    message.offset = object.offset | 0;
            if (object.length != null)
                if ($Number(object.length) !== 0)
                    message.length = object.length >>> 0;
            return message;
        };

        /**
         * Creates a plain object from a BucketSpan message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.BucketSpan
         * @static
         * @param {prometheus.BucketSpan} message BucketSpan
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        BucketSpan.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.offset = 0;
                object.length = 0;
            }
            if (message.offset != null && $Object.hasOwnProperty.call(message, "offset"))
                object.offset = message.offset;
            if (message.length != null && $Object.hasOwnProperty.call(message, "length"))
                object.length = message.length;
            return object;
        };

        /**
         * Converts this BucketSpan to JSON.
         * @function toJSON
         * @memberof prometheus.BucketSpan
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        BucketSpan.prototype.toJSON = function() {
            return BucketSpan.toObject(this, $protobuf.util.toJSONOptions);
        };

        return BucketSpan;
    })();

    return prometheus;
})();

export {
  $root as default
};
