/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $Array = $util.global.Array, $String = $util.global.String, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $BigInt = $util.global.BigInt, $isFinite = $util.global.isFinite;

// Exported root namespace
const $root = $protobuf.roots["remote-write-1.0"] || ($protobuf.roots["remote-write-1.0"] = {});

export const prometheus = $root.prometheus = (() => {

    /**
     * Namespace prometheus.
     * @exports prometheus
     * @namespace
     */
    const prometheus = {};

    prometheus.WriteRequest = (function() {

        /**
         * Properties of a WriteRequest.
         * @typedef {Object} prometheus.WriteRequest.$Properties
         * @property {Array.<prometheus.TimeSeries.$Properties>|null} [timeseries] WriteRequest timeseries
         * @property {Array.<prometheus.MetricMetadata.$Properties>|null} [metadata] WriteRequest metadata
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a WriteRequest.
         * @memberof prometheus
         * @interface IWriteRequest
         * @augments prometheus.WriteRequest.$Properties
         * @deprecated Use prometheus.WriteRequest.$Properties instead.
         */

        /**
         * Shape of a WriteRequest.
         * @typedef {prometheus.WriteRequest.$Properties} prometheus.WriteRequest.$Shape
         */

        /**
         * Constructs a new WriteRequest.
         * @memberof prometheus
         * @classdesc Represents a WriteRequest.
         * @constructor
         * @param {prometheus.WriteRequest.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const WriteRequest = function (properties) {
            this.timeseries = [];
            this.metadata = [];
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * WriteRequest timeseries.
         * @member {Array.<prometheus.TimeSeries.$Properties>} timeseries
         * @memberof prometheus.WriteRequest
         * @instance
         */
        WriteRequest.prototype.timeseries = $util.emptyArray;

        /**
         * WriteRequest metadata.
         * @member {Array.<prometheus.MetricMetadata.$Properties>} metadata
         * @memberof prometheus.WriteRequest
         * @instance
         */
        WriteRequest.prototype.metadata = $util.emptyArray;

        /**
         * Creates a new WriteRequest instance using the specified properties.
         * @function create
         * @memberof prometheus.WriteRequest
         * @static
         * @param {prometheus.WriteRequest.$Properties=} [properties] Properties to set
         * @returns {prometheus.WriteRequest} WriteRequest instance
         * @type {{
         *   (properties: prometheus.WriteRequest.$Shape): prometheus.WriteRequest & prometheus.WriteRequest.$Shape;
         *   (properties?: prometheus.WriteRequest.$Properties): prometheus.WriteRequest;
         * }}
         */
        WriteRequest.create = function(properties) {
            return new WriteRequest(properties);
        };

        /**
         * Encodes the specified WriteRequest message. Does not implicitly {@link prometheus.WriteRequest.verify|verify} messages.
         * @function encode
         * @memberof prometheus.WriteRequest
         * @static
         * @param {prometheus.WriteRequest.$Properties} message WriteRequest message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        WriteRequest.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.timeseries != null && message.timeseries.length)
                for (let i = 0; i < message.timeseries.length; ++i)
                    $root.prometheus.TimeSeries.encode(message.timeseries[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
            if (message.metadata != null && message.metadata.length)
                for (let i = 0; i < message.metadata.length; ++i)
                    $root.prometheus.MetricMetadata.encode(message.metadata[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a WriteRequest message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.WriteRequest
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.WriteRequest & prometheus.WriteRequest.$Shape} WriteRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        WriteRequest.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.prometheus.WriteRequest();
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
                case 3: {
                        if (wireType !== 2)
                            break;
                        if (!(message.metadata && message.metadata.length))
                            message.metadata = [];
                        message.metadata.push($root.prometheus.MetricMetadata.decode(reader, reader.size(), $undefined, _depth + 1));
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
         * Creates a WriteRequest message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.WriteRequest
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.WriteRequest} WriteRequest
         */
        WriteRequest.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.WriteRequest)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.WriteRequest: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.WriteRequest();
            if (object.timeseries) {
                if (!$Array.isArray(object.timeseries))
                    throw $TypeError(".prometheus.WriteRequest.timeseries: array expected");
                message.timeseries = $Array(object.timeseries.length);
                for (let i = 0; i < object.timeseries.length; ++i) {
                    if (!$util.isObject(object.timeseries[i]))
                        throw $TypeError(".prometheus.WriteRequest.timeseries: object expected");
                    message.timeseries[i] = $root.prometheus.TimeSeries.fromObject(object.timeseries[i], _depth + 1);
                }
            }
            if (object.metadata) {
                if (!$Array.isArray(object.metadata))
                    throw $TypeError(".prometheus.WriteRequest.metadata: array expected");
                message.metadata = $Array(object.metadata.length);
                for (let i = 0; i < object.metadata.length; ++i) {
                    if (!$util.isObject(object.metadata[i]))
                        throw $TypeError(".prometheus.WriteRequest.metadata: object expected");
                    message.metadata[i] = $root.prometheus.MetricMetadata.fromObject(object.metadata[i], _depth + 1);
                }
            }
            return message;
        };

        /**
         * Creates a plain object from a WriteRequest message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.WriteRequest
         * @static
         * @param {prometheus.WriteRequest} message WriteRequest
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        WriteRequest.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.arrays || options.defaults) {
                object.timeseries = [];
                object.metadata = [];
            }
            if (message.timeseries && message.timeseries.length) {
                object.timeseries = $Array(message.timeseries.length);
                for (let j = 0; j < message.timeseries.length; ++j)
                    object.timeseries[j] = $root.prometheus.TimeSeries.toObject(message.timeseries[j], options, _depth + 1);
            }
            if (message.metadata && message.metadata.length) {
                object.metadata = $Array(message.metadata.length);
                for (let j = 0; j < message.metadata.length; ++j)
                    object.metadata[j] = $root.prometheus.MetricMetadata.toObject(message.metadata[j], options, _depth + 1);
            }
            return object;
        };

        /**
         * Converts this WriteRequest to JSON.
         * @function toJSON
         * @memberof prometheus.WriteRequest
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        WriteRequest.prototype.toJSON = function() {
            return WriteRequest.toObject(this, $protobuf.util.toJSONOptions);
        };

        return WriteRequest;
    })();

    prometheus.MetricMetadata = (function() {

        /**
         * Properties of a MetricMetadata.
         * @typedef {Object} prometheus.MetricMetadata.$Properties
         * @property {prometheus.MetricMetadata.MetricType|null} [type] MetricMetadata type
         * @property {string|null} [metricFamilyName] MetricMetadata metricFamilyName
         * @property {string|null} [help] MetricMetadata help
         * @property {string|null} [unit] MetricMetadata unit
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */

        /**
         * Properties of a MetricMetadata.
         * @memberof prometheus
         * @interface IMetricMetadata
         * @augments prometheus.MetricMetadata.$Properties
         * @deprecated Use prometheus.MetricMetadata.$Properties instead.
         */

        /**
         * Shape of a MetricMetadata.
         * @typedef {prometheus.MetricMetadata.$Properties} prometheus.MetricMetadata.$Shape
         */

        /**
         * Constructs a new MetricMetadata.
         * @memberof prometheus
         * @classdesc Represents a MetricMetadata.
         * @constructor
         * @param {prometheus.MetricMetadata.$Properties=} [properties] Properties to set
         * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
         */
        const MetricMetadata = function (properties) {
            if (properties)
                for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                    if (properties[keys[i]] != null && keys[i] !== "__proto__")
                        this[keys[i]] = properties[keys[i]];
        };

        /**
         * MetricMetadata type.
         * @member {prometheus.MetricMetadata.MetricType} type
         * @memberof prometheus.MetricMetadata
         * @instance
         */
        MetricMetadata.prototype.type = 0;

        /**
         * MetricMetadata metricFamilyName.
         * @member {string} metricFamilyName
         * @memberof prometheus.MetricMetadata
         * @instance
         */
        MetricMetadata.prototype.metricFamilyName = "";

        /**
         * MetricMetadata help.
         * @member {string} help
         * @memberof prometheus.MetricMetadata
         * @instance
         */
        MetricMetadata.prototype.help = "";

        /**
         * MetricMetadata unit.
         * @member {string} unit
         * @memberof prometheus.MetricMetadata
         * @instance
         */
        MetricMetadata.prototype.unit = "";

        /**
         * Creates a new MetricMetadata instance using the specified properties.
         * @function create
         * @memberof prometheus.MetricMetadata
         * @static
         * @param {prometheus.MetricMetadata.$Properties=} [properties] Properties to set
         * @returns {prometheus.MetricMetadata} MetricMetadata instance
         * @type {{
         *   (properties: prometheus.MetricMetadata.$Shape): prometheus.MetricMetadata & prometheus.MetricMetadata.$Shape;
         *   (properties?: prometheus.MetricMetadata.$Properties): prometheus.MetricMetadata;
         * }}
         */
        MetricMetadata.create = function(properties) {
            return new MetricMetadata(properties);
        };

        /**
         * Encodes the specified MetricMetadata message. Does not implicitly {@link prometheus.MetricMetadata.verify|verify} messages.
         * @function encode
         * @memberof prometheus.MetricMetadata
         * @static
         * @param {prometheus.MetricMetadata.$Properties} message MetricMetadata message or plain object to encode
         * @param {$protobuf.Writer} [writer] Writer to encode to
         * @returns {$protobuf.Writer} Writer
         */
        MetricMetadata.encode = function (message, writer, _depth) {
            if (!writer)
                writer = $Writer.create();
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== 0)
                writer.uint32(/* id 1, wireType 0 =*/8).int32(message.type);
            if (message.metricFamilyName != null && $Object.hasOwnProperty.call(message, "metricFamilyName") && message.metricFamilyName !== "")
                writer.uint32(/* id 2, wireType 2 =*/18).string(message.metricFamilyName);
            if (message.help != null && $Object.hasOwnProperty.call(message, "help") && message.help !== "")
                writer.uint32(/* id 4, wireType 2 =*/34).string(message.help);
            if (message.unit != null && $Object.hasOwnProperty.call(message, "unit") && message.unit !== "")
                writer.uint32(/* id 5, wireType 2 =*/42).string(message.unit);
            if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                for (let i = 0; i < message.$unknowns.length; ++i)
                    writer.raw(message.$unknowns[i]);
            return writer;
        };

        /**
         * Decodes a MetricMetadata message from the specified reader or buffer.
         * @function decode
         * @memberof prometheus.MetricMetadata
         * @static
         * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
         * @param {number} [length] Message length if known beforehand
         * @returns {prometheus.MetricMetadata & prometheus.MetricMetadata.$Shape} MetricMetadata
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        MetricMetadata.decode = function (reader, length, _end, _depth, _target) {
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
            message = _target || new $root.prometheus.MetricMetadata();
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
                            message.metricFamilyName = value;
                        else
                            delete message.metricFamilyName;
                        continue;
                    }
                case 4: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.help = value;
                        else
                            delete message.help;
                        continue;
                    }
                case 5: {
                        if (wireType !== 2)
                            break;
                        if ((value = reader.stringVerify()).length)
                            message.unit = value;
                        else
                            delete message.unit;
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
         * Creates a MetricMetadata message from a plain object. Also converts values to their respective internal types.
         * @function fromObject
         * @memberof prometheus.MetricMetadata
         * @static
         * @param {Object.<string,*>} object Plain object
         * @returns {prometheus.MetricMetadata} MetricMetadata
         */
        MetricMetadata.fromObject = function (object, _depth) {
            if (object instanceof $root.prometheus.MetricMetadata)
                return object;
            if (!$util.isObject(object))
                throw $TypeError(".prometheus.MetricMetadata: object expected");
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let message = new $root.prometheus.MetricMetadata();
            if (object.type !== 0 && (typeof object.type !== "string" || $root.prometheus.MetricMetadata.MetricType[object.type] !== 0))
                switch (object.type) {
                case "UNKNOWN":
                case 0:
                    message.type = 0;
                    break;
                case "COUNTER":
                case 1:
                    message.type = 1;
                    break;
                case "GAUGE":
                case 2:
                    message.type = 2;
                    break;
                case "HISTOGRAM":
                case 3:
                    message.type = 3;
                    break;
                case "GAUGEHISTOGRAM":
                case 4:
                    message.type = 4;
                    break;
                case "SUMMARY":
                case 5:
                    message.type = 5;
                    break;
                case "INFO":
                case 6:
                    message.type = 6;
                    break;
                case "STATESET":
                case 7:
                    message.type = 7;
                    break;
                default:
                    if (typeof object.type === "number" && (object.type | 0) === object.type)
                        message.type = object.type;
                }
            if (object.metricFamilyName != null)
                if (typeof object.metricFamilyName !== "string" || object.metricFamilyName.length)
                    message.metricFamilyName = $String(object.metricFamilyName);
            if (object.help != null)
                if (typeof object.help !== "string" || object.help.length)
                    message.help = $String(object.help);
            if (object.unit != null)
                if (typeof object.unit !== "string" || object.unit.length)
                    message.unit = $String(object.unit);
            return message;
        };

        /**
         * Creates a plain object from a MetricMetadata message. Also converts values to other types if specified.
         * @function toObject
         * @memberof prometheus.MetricMetadata
         * @static
         * @param {prometheus.MetricMetadata} message MetricMetadata
         * @param {$protobuf.IConversionOptions} [options] Conversion options
         * @returns {Object.<string,*>} Plain object
         */
        MetricMetadata.toObject = function (message, options, _depth) {
            if (!options)
                options = {};
            if (_depth === $undefined)
                _depth = 0;
            if (_depth > $util.recursionLimit)
                throw $Error("max depth exceeded");
            let object = {};
            if (options.defaults) {
                object.type = options.enums === $String ? "UNKNOWN" : 0;
                object.metricFamilyName = "";
                object.help = "";
                object.unit = "";
            }
            if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                object.type = options.enums === $String ? $root.prometheus.MetricMetadata.MetricType[message.type] === $undefined ? message.type : $root.prometheus.MetricMetadata.MetricType[message.type] : message.type;
            if (message.metricFamilyName != null && $Object.hasOwnProperty.call(message, "metricFamilyName"))
                object.metricFamilyName = message.metricFamilyName;
            if (message.help != null && $Object.hasOwnProperty.call(message, "help"))
                object.help = message.help;
            if (message.unit != null && $Object.hasOwnProperty.call(message, "unit"))
                object.unit = message.unit;
            return object;
        };

        /**
         * Converts this MetricMetadata to JSON.
         * @function toJSON
         * @memberof prometheus.MetricMetadata
         * @instance
         * @returns {Object.<string,*>} JSON object
         */
        MetricMetadata.prototype.toJSON = function() {
            return MetricMetadata.toObject(this, $protobuf.util.toJSONOptions);
        };

        /**
         * MetricType enum.
         * @name prometheus.MetricMetadata.MetricType
         * @enum {number}
         * @property {number} UNKNOWN=0 UNKNOWN value
         * @property {number} COUNTER=1 COUNTER value
         * @property {number} GAUGE=2 GAUGE value
         * @property {number} HISTOGRAM=3 HISTOGRAM value
         * @property {number} GAUGEHISTOGRAM=4 GAUGEHISTOGRAM value
         * @property {number} SUMMARY=5 SUMMARY value
         * @property {number} INFO=6 INFO value
         * @property {number} STATESET=7 STATESET value
         */
        MetricMetadata.MetricType = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "UNKNOWN"] = 0;
            values[valuesById[1] = "COUNTER"] = 1;
            values[valuesById[2] = "GAUGE"] = 2;
            values[valuesById[3] = "HISTOGRAM"] = 3;
            values[valuesById[4] = "GAUGEHISTOGRAM"] = 4;
            values[valuesById[5] = "SUMMARY"] = 5;
            values[valuesById[6] = "INFO"] = 6;
            values[valuesById[7] = "STATESET"] = 7;
            return values;
        })();

        return MetricMetadata;
    })();

    prometheus.TimeSeries = (function() {

        /**
         * Properties of a TimeSeries.
         * @typedef {Object} prometheus.TimeSeries.$Properties
         * @property {Array.<prometheus.Label.$Properties>|null} [labels] TimeSeries labels
         * @property {Array.<prometheus.Sample.$Properties>|null} [samples] TimeSeries samples
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
         * @typedef {prometheus.TimeSeries.$Properties} prometheus.TimeSeries.$Shape
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

    return prometheus;
})();

export {
  $root as default
};
