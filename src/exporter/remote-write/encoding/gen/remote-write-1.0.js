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
         * @typedef {{
         *   timeseries?: Array.<prometheus.TimeSeries.$Shape>|null;
         *   metadata?: Array.<prometheus.MetricMetadata.$Shape>|null;
         *   $unknowns?: Array.<Uint8Array>;
         * }} prometheus.WriteRequest.$Shape
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
