/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError, $TypeError = $util.global.TypeError, $Array = $util.global.Array, $String = $util.global.String, $Number = $util.global.Number, $parseInt = $util.global.parseInt, $BigInt = $util.global.BigInt, $isFinite = $util.global.isFinite;

// Exported root namespace
const $root = $protobuf.roots["remote-write-2.0"] || ($protobuf.roots["remote-write-2.0"] = {});

export const io = $root.io = (() => {

    /**
     * Namespace io.
     * @exports io
     * @namespace
     */
    const io = {};

    io.prometheus = (function() {

        /**
         * Namespace prometheus.
         * @memberof io
         * @namespace
         */
        const prometheus = {};

        prometheus.write = (function() {

            /**
             * Namespace write.
             * @memberof io.prometheus
             * @namespace
             */
            const write = {};

            write.v2 = (function() {

                /**
                 * Namespace v2.
                 * @memberof io.prometheus.write
                 * @namespace
                 */
                const v2 = {};

                v2.Request = (function() {

                    /**
                     * Properties of a Request.
                     * @typedef {Object} io.prometheus.write.v2.Request.$Properties
                     * @property {Array.<string>|null} [symbols] Request symbols
                     * @property {Array.<io.prometheus.write.v2.TimeSeries.$Properties>|null} [timeseries] Request timeseries
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a Request.
                     * @memberof io.prometheus.write.v2
                     * @interface IRequest
                     * @augments io.prometheus.write.v2.Request.$Properties
                     * @deprecated Use io.prometheus.write.v2.Request.$Properties instead.
                     */

                    /**
                     * Shape of a Request.
                     * @typedef {{
                     *   symbols?: Array.<string>|null;
                     *   timeseries?: Array.<io.prometheus.write.v2.TimeSeries.$Shape>|null;
                     *   $unknowns?: Array.<Uint8Array>;
                     * }} io.prometheus.write.v2.Request.$Shape
                     */

                    /**
                     * Constructs a new Request.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a Request.
                     * @constructor
                     * @param {io.prometheus.write.v2.Request.$Properties=} [properties] Properties to set
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */
                    const Request = function (properties) {
                        this.symbols = [];
                        this.timeseries = [];
                        if (properties)
                            for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                                if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                    this[keys[i]] = properties[keys[i]];
                    };

                    /**
                     * Request symbols.
                     * @member {Array.<string>} symbols
                     * @memberof io.prometheus.write.v2.Request
                     * @instance
                     */
                    Request.prototype.symbols = $util.emptyArray;

                    /**
                     * Request timeseries.
                     * @member {Array.<io.prometheus.write.v2.TimeSeries.$Properties>} timeseries
                     * @memberof io.prometheus.write.v2.Request
                     * @instance
                     */
                    Request.prototype.timeseries = $util.emptyArray;

                    /**
                     * Creates a new Request instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.Request
                     * @static
                     * @param {io.prometheus.write.v2.Request.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.Request} Request instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.Request.$Shape): io.prometheus.write.v2.Request & io.prometheus.write.v2.Request.$Shape;
                     *   (properties?: io.prometheus.write.v2.Request.$Properties): io.prometheus.write.v2.Request;
                     * }}
                     */
                    Request.create = function(properties) {
                        return new Request(properties);
                    };

                    /**
                     * Encodes the specified Request message. Does not implicitly {@link io.prometheus.write.v2.Request.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.Request
                     * @static
                     * @param {io.prometheus.write.v2.Request.$Properties} message Request message or plain object to encode
                     * @param {$protobuf.Writer} [writer] Writer to encode to
                     * @returns {$protobuf.Writer} Writer
                     */
                    Request.encode = function (message, writer, _depth) {
                        if (!writer)
                            writer = $Writer.create();
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        if (message.symbols != null && message.symbols.length)
                            for (let i = 0; i < message.symbols.length; ++i)
                                writer.uint32(/* id 4, wireType 2 =*/34).string(message.symbols[i]);
                        if (message.timeseries != null && message.timeseries.length)
                            for (let i = 0; i < message.timeseries.length; ++i)
                                $root.io.prometheus.write.v2.TimeSeries.encode(message.timeseries[i], writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                        if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                            for (let i = 0; i < message.$unknowns.length; ++i)
                                writer.raw(message.$unknowns[i]);
                        return writer;
                    };

                    /**
                     * Decodes a Request message from the specified reader or buffer.
                     * @function decode
                     * @memberof io.prometheus.write.v2.Request
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Request & io.prometheus.write.v2.Request.$Shape} Request
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    Request.decode = function (reader, length, _end, _depth, _target) {
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
                        message = _target || new $root.io.prometheus.write.v2.Request();
                        while (reader.pos < end) {
                            let start = reader.pos;
                            let tag = reader.tag();
                            if (tag === _end) {
                                _end = $undefined;
                                break;
                            }
                            let wireType = tag & 7;
                            switch (tag >>>= 3) {
                            case 4: {
                                    if (wireType !== 2)
                                        break;
                                    if (!(message.symbols && message.symbols.length))
                                        message.symbols = [];
                                    message.symbols.push(reader.stringVerify());
                                    continue;
                                }
                            case 5: {
                                    if (wireType !== 2)
                                        break;
                                    if (!(message.timeseries && message.timeseries.length))
                                        message.timeseries = [];
                                    message.timeseries.push($root.io.prometheus.write.v2.TimeSeries.decode(reader, reader.size(), $undefined, _depth + 1));
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
                     * Creates a Request message from a plain object. Also converts values to their respective internal types.
                     * @function fromObject
                     * @memberof io.prometheus.write.v2.Request
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.Request} Request
                     */
                    Request.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.Request)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.Request: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.Request();
                        if (object.symbols) {
                            if (!$Array.isArray(object.symbols))
                                throw $TypeError(".io.prometheus.write.v2.Request.symbols: array expected");
                            message.symbols = $Array(object.symbols.length);
                            for (let i = 0; i < object.symbols.length; ++i)
                                message.symbols[i] = $String(object.symbols[i]);
                        }
                        if (object.timeseries) {
                            if (!$Array.isArray(object.timeseries))
                                throw $TypeError(".io.prometheus.write.v2.Request.timeseries: array expected");
                            message.timeseries = $Array(object.timeseries.length);
                            for (let i = 0; i < object.timeseries.length; ++i) {
                                if (!$util.isObject(object.timeseries[i]))
                                    throw $TypeError(".io.prometheus.write.v2.Request.timeseries: object expected");
                                message.timeseries[i] = $root.io.prometheus.write.v2.TimeSeries.fromObject(object.timeseries[i], _depth + 1);
                            }
                        }
                        return message;
                    };

                    /**
                     * Creates a plain object from a Request message. Also converts values to other types if specified.
                     * @function toObject
                     * @memberof io.prometheus.write.v2.Request
                     * @static
                     * @param {io.prometheus.write.v2.Request} message Request
                     * @param {$protobuf.IConversionOptions} [options] Conversion options
                     * @returns {Object.<string,*>} Plain object
                     */
                    Request.toObject = function (message, options, _depth) {
                        if (!options)
                            options = {};
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let object = {};
                        if (options.arrays || options.defaults) {
                            object.symbols = [];
                            object.timeseries = [];
                        }
                        if (message.symbols && message.symbols.length) {
                            object.symbols = $Array(message.symbols.length);
                            for (let j = 0; j < message.symbols.length; ++j)
                                object.symbols[j] = message.symbols[j];
                        }
                        if (message.timeseries && message.timeseries.length) {
                            object.timeseries = $Array(message.timeseries.length);
                            for (let j = 0; j < message.timeseries.length; ++j)
                                object.timeseries[j] = $root.io.prometheus.write.v2.TimeSeries.toObject(message.timeseries[j], options, _depth + 1);
                        }
                        return object;
                    };

                    /**
                     * Converts this Request to JSON.
                     * @function toJSON
                     * @memberof io.prometheus.write.v2.Request
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    Request.prototype.toJSON = function() {
                        return Request.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    return Request;
                })();

                v2.TimeSeries = (function() {

                    /**
                     * Properties of a TimeSeries.
                     * @typedef {Object} io.prometheus.write.v2.TimeSeries.$Properties
                     * @property {Array.<number>|null} [labelsRefs] TimeSeries labelsRefs
                     * @property {Array.<io.prometheus.write.v2.Sample.$Properties>|null} [samples] TimeSeries samples
                     * @property {Array.<io.prometheus.write.v2.Histogram.$Properties>|null} [histograms] TimeSeries histograms
                     * @property {Array.<io.prometheus.write.v2.Exemplar.$Properties>|null} [exemplars] TimeSeries exemplars
                     * @property {io.prometheus.write.v2.Metadata.$Properties|null} [metadata] TimeSeries metadata
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a TimeSeries.
                     * @memberof io.prometheus.write.v2
                     * @interface ITimeSeries
                     * @augments io.prometheus.write.v2.TimeSeries.$Properties
                     * @deprecated Use io.prometheus.write.v2.TimeSeries.$Properties instead.
                     */

                    /**
                     * Shape of a TimeSeries.
                     * @typedef {{
                     *   labelsRefs?: Array.<number>|null;
                     *   samples?: Array.<io.prometheus.write.v2.Sample.$Shape>|null;
                     *   histograms?: Array.<io.prometheus.write.v2.Histogram.$Shape>|null;
                     *   exemplars?: Array.<io.prometheus.write.v2.Exemplar.$Shape>|null;
                     *   metadata?: io.prometheus.write.v2.Metadata.$Shape|null;
                     *   $unknowns?: Array.<Uint8Array>;
                     * }} io.prometheus.write.v2.TimeSeries.$Shape
                     */

                    /**
                     * Constructs a new TimeSeries.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a TimeSeries.
                     * @constructor
                     * @param {io.prometheus.write.v2.TimeSeries.$Properties=} [properties] Properties to set
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */
                    const TimeSeries = function (properties) {
                        this.labelsRefs = [];
                        this.samples = [];
                        this.histograms = [];
                        this.exemplars = [];
                        if (properties)
                            for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                                if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                    this[keys[i]] = properties[keys[i]];
                    };

                    /**
                     * TimeSeries labelsRefs.
                     * @member {Array.<number>} labelsRefs
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     */
                    TimeSeries.prototype.labelsRefs = $util.emptyArray;

                    /**
                     * TimeSeries samples.
                     * @member {Array.<io.prometheus.write.v2.Sample.$Properties>} samples
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     */
                    TimeSeries.prototype.samples = $util.emptyArray;

                    /**
                     * TimeSeries histograms.
                     * @member {Array.<io.prometheus.write.v2.Histogram.$Properties>} histograms
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     */
                    TimeSeries.prototype.histograms = $util.emptyArray;

                    /**
                     * TimeSeries exemplars.
                     * @member {Array.<io.prometheus.write.v2.Exemplar.$Properties>} exemplars
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     */
                    TimeSeries.prototype.exemplars = $util.emptyArray;

                    /**
                     * TimeSeries metadata.
                     * @member {io.prometheus.write.v2.Metadata.$Properties|null|undefined} metadata
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     */
                    TimeSeries.prototype.metadata = null;

                    /**
                     * Creates a new TimeSeries instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @static
                     * @param {io.prometheus.write.v2.TimeSeries.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.TimeSeries} TimeSeries instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.TimeSeries.$Shape): io.prometheus.write.v2.TimeSeries & io.prometheus.write.v2.TimeSeries.$Shape;
                     *   (properties?: io.prometheus.write.v2.TimeSeries.$Properties): io.prometheus.write.v2.TimeSeries;
                     * }}
                     */
                    TimeSeries.create = function(properties) {
                        return new TimeSeries(properties);
                    };

                    /**
                     * Encodes the specified TimeSeries message. Does not implicitly {@link io.prometheus.write.v2.TimeSeries.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @static
                     * @param {io.prometheus.write.v2.TimeSeries.$Properties} message TimeSeries message or plain object to encode
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
                        if (message.labelsRefs != null && message.labelsRefs.length)
                            writer.uint32(/* id 1, wireType 2 =*/10).uint32s(message.labelsRefs);
                        if (message.samples != null && message.samples.length)
                            for (let i = 0; i < message.samples.length; ++i)
                                $root.io.prometheus.write.v2.Sample.encode(message.samples[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                        if (message.histograms != null && message.histograms.length)
                            for (let i = 0; i < message.histograms.length; ++i)
                                $root.io.prometheus.write.v2.Histogram.encode(message.histograms[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                        if (message.exemplars != null && message.exemplars.length)
                            for (let i = 0; i < message.exemplars.length; ++i)
                                $root.io.prometheus.write.v2.Exemplar.encode(message.exemplars[i], writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                        if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                            $root.io.prometheus.write.v2.Metadata.encode(message.metadata, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                        if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                            for (let i = 0; i < message.$unknowns.length; ++i)
                                writer.raw(message.$unknowns[i]);
                        return writer;
                    };

                    /**
                     * Decodes a TimeSeries message from the specified reader or buffer.
                     * @function decode
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.TimeSeries & io.prometheus.write.v2.TimeSeries.$Shape} TimeSeries
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
                        message = _target || new $root.io.prometheus.write.v2.TimeSeries();
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
                                    if (wireType === 2) {
                                        if (!(message.labelsRefs && message.labelsRefs.length))
                                            message.labelsRefs = [];
                                        reader.uint32s(message.labelsRefs);
                                        continue;
                                    }
                                    if (wireType !== 0)
                                        break;
                                    if (!(message.labelsRefs && message.labelsRefs.length))
                                        message.labelsRefs = [];
                                    message.labelsRefs.push(reader.uint32());
                                    continue;
                                }
                            case 2: {
                                    if (wireType !== 2)
                                        break;
                                    if (!(message.samples && message.samples.length))
                                        message.samples = [];
                                    message.samples.push($root.io.prometheus.write.v2.Sample.decode(reader, reader.size(), $undefined, _depth + 1));
                                    continue;
                                }
                            case 3: {
                                    if (wireType !== 2)
                                        break;
                                    if (!(message.histograms && message.histograms.length))
                                        message.histograms = [];
                                    message.histograms.push($root.io.prometheus.write.v2.Histogram.decode(reader, reader.size(), $undefined, _depth + 1));
                                    continue;
                                }
                            case 4: {
                                    if (wireType !== 2)
                                        break;
                                    if (!(message.exemplars && message.exemplars.length))
                                        message.exemplars = [];
                                    message.exemplars.push($root.io.prometheus.write.v2.Exemplar.decode(reader, reader.size(), $undefined, _depth + 1));
                                    continue;
                                }
                            case 5: {
                                    if (wireType !== 2)
                                        break;
                                    message.metadata = $root.io.prometheus.write.v2.Metadata.decode(reader, reader.size(), $undefined, _depth + 1, message.metadata);
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
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.TimeSeries} TimeSeries
                     */
                    TimeSeries.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.TimeSeries)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.TimeSeries: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.TimeSeries();
                        if (object.labelsRefs) {
                            if (!$Array.isArray(object.labelsRefs))
                                throw $TypeError(".io.prometheus.write.v2.TimeSeries.labelsRefs: array expected");
                            message.labelsRefs = $Array(object.labelsRefs.length);
                            for (let i = 0; i < object.labelsRefs.length; ++i)
                                message.labelsRefs[i] = object.labelsRefs[i] >>> 0;
                        }
                        if (object.samples) {
                            if (!$Array.isArray(object.samples))
                                throw $TypeError(".io.prometheus.write.v2.TimeSeries.samples: array expected");
                            message.samples = $Array(object.samples.length);
                            for (let i = 0; i < object.samples.length; ++i) {
                                if (!$util.isObject(object.samples[i]))
                                    throw $TypeError(".io.prometheus.write.v2.TimeSeries.samples: object expected");
                                message.samples[i] = $root.io.prometheus.write.v2.Sample.fromObject(object.samples[i], _depth + 1);
                            }
                        }
                        if (object.histograms) {
                            if (!$Array.isArray(object.histograms))
                                throw $TypeError(".io.prometheus.write.v2.TimeSeries.histograms: array expected");
                            message.histograms = $Array(object.histograms.length);
                            for (let i = 0; i < object.histograms.length; ++i) {
                                if (!$util.isObject(object.histograms[i]))
                                    throw $TypeError(".io.prometheus.write.v2.TimeSeries.histograms: object expected");
                                message.histograms[i] = $root.io.prometheus.write.v2.Histogram.fromObject(object.histograms[i], _depth + 1);
                            }
                        }
                        if (object.exemplars) {
                            if (!$Array.isArray(object.exemplars))
                                throw $TypeError(".io.prometheus.write.v2.TimeSeries.exemplars: array expected");
                            message.exemplars = $Array(object.exemplars.length);
                            for (let i = 0; i < object.exemplars.length; ++i) {
                                if (!$util.isObject(object.exemplars[i]))
                                    throw $TypeError(".io.prometheus.write.v2.TimeSeries.exemplars: object expected");
                                message.exemplars[i] = $root.io.prometheus.write.v2.Exemplar.fromObject(object.exemplars[i], _depth + 1);
                            }
                        }
                        if (object.metadata != null) {
                            if (!$util.isObject(object.metadata))
                                throw $TypeError(".io.prometheus.write.v2.TimeSeries.metadata: object expected");
                            message.metadata = $root.io.prometheus.write.v2.Metadata.fromObject(object.metadata, _depth + 1);
                        }
                        return message;
                    };

                    /**
                     * Creates a plain object from a TimeSeries message. Also converts values to other types if specified.
                     * @function toObject
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @static
                     * @param {io.prometheus.write.v2.TimeSeries} message TimeSeries
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
                            object.labelsRefs = [];
                            object.samples = [];
                            object.histograms = [];
                            object.exemplars = [];
                        }
                        if (options.defaults)
                            object.metadata = null;
                        if (message.labelsRefs && message.labelsRefs.length) {
                            object.labelsRefs = $Array(message.labelsRefs.length);
                            for (let j = 0; j < message.labelsRefs.length; ++j)
                                object.labelsRefs[j] = message.labelsRefs[j];
                        }
                        if (message.samples && message.samples.length) {
                            object.samples = $Array(message.samples.length);
                            for (let j = 0; j < message.samples.length; ++j)
                                object.samples[j] = $root.io.prometheus.write.v2.Sample.toObject(message.samples[j], options, _depth + 1);
                        }
                        if (message.histograms && message.histograms.length) {
                            object.histograms = $Array(message.histograms.length);
                            for (let j = 0; j < message.histograms.length; ++j)
                                object.histograms[j] = $root.io.prometheus.write.v2.Histogram.toObject(message.histograms[j], options, _depth + 1);
                        }
                        if (message.exemplars && message.exemplars.length) {
                            object.exemplars = $Array(message.exemplars.length);
                            for (let j = 0; j < message.exemplars.length; ++j)
                                object.exemplars[j] = $root.io.prometheus.write.v2.Exemplar.toObject(message.exemplars[j], options, _depth + 1);
                        }
                        if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                            object.metadata = $root.io.prometheus.write.v2.Metadata.toObject(message.metadata, options, _depth + 1);
                        return object;
                    };

                    /**
                     * Converts this TimeSeries to JSON.
                     * @function toJSON
                     * @memberof io.prometheus.write.v2.TimeSeries
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    TimeSeries.prototype.toJSON = function() {
                        return TimeSeries.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    return TimeSeries;
                })();

                v2.Exemplar = (function() {

                    /**
                     * Properties of an Exemplar.
                     * @typedef {Object} io.prometheus.write.v2.Exemplar.$Properties
                     * @property {Array.<number>|null} [labelsRefs] Exemplar labelsRefs
                     * @property {number|null} [value] Exemplar value
                     * @property {number|null} [timestamp] Exemplar timestamp
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of an Exemplar.
                     * @memberof io.prometheus.write.v2
                     * @interface IExemplar
                     * @augments io.prometheus.write.v2.Exemplar.$Properties
                     * @deprecated Use io.prometheus.write.v2.Exemplar.$Properties instead.
                     */

                    /**
                     * Shape of an Exemplar.
                     * @typedef {io.prometheus.write.v2.Exemplar.$Properties} io.prometheus.write.v2.Exemplar.$Shape
                     */

                    /**
                     * Constructs a new Exemplar.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents an Exemplar.
                     * @constructor
                     * @param {io.prometheus.write.v2.Exemplar.$Properties=} [properties] Properties to set
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */
                    const Exemplar = function (properties) {
                        this.labelsRefs = [];
                        if (properties)
                            for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                                if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                    this[keys[i]] = properties[keys[i]];
                    };

                    /**
                     * Exemplar labelsRefs.
                     * @member {Array.<number>} labelsRefs
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @instance
                     */
                    Exemplar.prototype.labelsRefs = $util.emptyArray;

                    /**
                     * Exemplar value.
                     * @member {number} value
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @instance
                     */
                    Exemplar.prototype.value = 0;

                    /**
                     * Exemplar timestamp.
                     * @member {number} timestamp
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @instance
                     */
                    Exemplar.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

                    /**
                     * Creates a new Exemplar instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @static
                     * @param {io.prometheus.write.v2.Exemplar.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.Exemplar} Exemplar instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.Exemplar.$Shape): io.prometheus.write.v2.Exemplar & io.prometheus.write.v2.Exemplar.$Shape;
                     *   (properties?: io.prometheus.write.v2.Exemplar.$Properties): io.prometheus.write.v2.Exemplar;
                     * }}
                     */
                    Exemplar.create = function(properties) {
                        return new Exemplar(properties);
                    };

                    /**
                     * Encodes the specified Exemplar message. Does not implicitly {@link io.prometheus.write.v2.Exemplar.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @static
                     * @param {io.prometheus.write.v2.Exemplar.$Properties} message Exemplar message or plain object to encode
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
                        if (message.labelsRefs != null && message.labelsRefs.length)
                            writer.uint32(/* id 1, wireType 2 =*/10).uint32s(message.labelsRefs);
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
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Exemplar & io.prometheus.write.v2.Exemplar.$Shape} Exemplar
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
                        message = _target || new $root.io.prometheus.write.v2.Exemplar();
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
                                    if (wireType === 2) {
                                        if (!(message.labelsRefs && message.labelsRefs.length))
                                            message.labelsRefs = [];
                                        reader.uint32s(message.labelsRefs);
                                        continue;
                                    }
                                    if (wireType !== 0)
                                        break;
                                    if (!(message.labelsRefs && message.labelsRefs.length))
                                        message.labelsRefs = [];
                                    message.labelsRefs.push(reader.uint32());
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
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.Exemplar} Exemplar
                     */
                    Exemplar.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.Exemplar)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.Exemplar: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.Exemplar();
                        if (object.labelsRefs) {
                            if (!$Array.isArray(object.labelsRefs))
                                throw $TypeError(".io.prometheus.write.v2.Exemplar.labelsRefs: array expected");
                            message.labelsRefs = $Array(object.labelsRefs.length);
                            for (let i = 0; i < object.labelsRefs.length; ++i)
                                message.labelsRefs[i] = object.labelsRefs[i] >>> 0;
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
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @static
                     * @param {io.prometheus.write.v2.Exemplar} message Exemplar
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
                            object.labelsRefs = [];
                        if (options.defaults) {
                            object.value = 0;
                            if ($util.Long) {
                                let long = new $util.Long(0, 0, false);
                                object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                            } else
                                object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                        }
                        if (message.labelsRefs && message.labelsRefs.length) {
                            object.labelsRefs = $Array(message.labelsRefs.length);
                            for (let j = 0; j < message.labelsRefs.length; ++j)
                                object.labelsRefs[j] = message.labelsRefs[j];
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
                     * @memberof io.prometheus.write.v2.Exemplar
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    Exemplar.prototype.toJSON = function() {
                        return Exemplar.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    return Exemplar;
                })();

                v2.Sample = (function() {

                    /**
                     * Properties of a Sample.
                     * @typedef {Object} io.prometheus.write.v2.Sample.$Properties
                     * @property {number|null} [value] Sample value
                     * @property {number|null} [timestamp] Sample timestamp
                     * @property {number|null} [startTimestamp] Sample startTimestamp
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a Sample.
                     * @memberof io.prometheus.write.v2
                     * @interface ISample
                     * @augments io.prometheus.write.v2.Sample.$Properties
                     * @deprecated Use io.prometheus.write.v2.Sample.$Properties instead.
                     */

                    /**
                     * Shape of a Sample.
                     * @typedef {io.prometheus.write.v2.Sample.$Properties} io.prometheus.write.v2.Sample.$Shape
                     */

                    /**
                     * Constructs a new Sample.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a Sample.
                     * @constructor
                     * @param {io.prometheus.write.v2.Sample.$Properties=} [properties] Properties to set
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
                     * @memberof io.prometheus.write.v2.Sample
                     * @instance
                     */
                    Sample.prototype.value = 0;

                    /**
                     * Sample timestamp.
                     * @member {number} timestamp
                     * @memberof io.prometheus.write.v2.Sample
                     * @instance
                     */
                    Sample.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

                    /**
                     * Sample startTimestamp.
                     * @member {number} startTimestamp
                     * @memberof io.prometheus.write.v2.Sample
                     * @instance
                     */
                    Sample.prototype.startTimestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

                    /**
                     * Creates a new Sample instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.Sample
                     * @static
                     * @param {io.prometheus.write.v2.Sample.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.Sample} Sample instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.Sample.$Shape): io.prometheus.write.v2.Sample & io.prometheus.write.v2.Sample.$Shape;
                     *   (properties?: io.prometheus.write.v2.Sample.$Properties): io.prometheus.write.v2.Sample;
                     * }}
                     */
                    Sample.create = function(properties) {
                        return new Sample(properties);
                    };

                    /**
                     * Encodes the specified Sample message. Does not implicitly {@link io.prometheus.write.v2.Sample.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.Sample
                     * @static
                     * @param {io.prometheus.write.v2.Sample.$Properties} message Sample message or plain object to encode
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
                        if (message.startTimestamp != null && $Object.hasOwnProperty.call(message, "startTimestamp") && (typeof message.startTimestamp === "object" ? message.startTimestamp.low || message.startTimestamp.high : message.startTimestamp !== 0))
                            writer.uint32(/* id 3, wireType 0 =*/24).int64(message.startTimestamp);
                        if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                            for (let i = 0; i < message.$unknowns.length; ++i)
                                writer.raw(message.$unknowns[i]);
                        return writer;
                    };

                    /**
                     * Decodes a Sample message from the specified reader or buffer.
                     * @function decode
                     * @memberof io.prometheus.write.v2.Sample
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Sample & io.prometheus.write.v2.Sample.$Shape} Sample
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
                        message = _target || new $root.io.prometheus.write.v2.Sample();
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
                            case 3: {
                                    if (wireType !== 0)
                                        break;
                                    if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                        message.startTimestamp = value;
                                    else
                                        delete message.startTimestamp;
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
                     * @memberof io.prometheus.write.v2.Sample
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.Sample} Sample
                     */
                    Sample.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.Sample)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.Sample: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.Sample();
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
                        if (object.startTimestamp != null)
                            if (typeof object.startTimestamp === "object" ? object.startTimestamp.low || object.startTimestamp.high : $Number(object.startTimestamp) !== 0)
                                if ($util.Long)
                                    message.startTimestamp = $util.Long.fromValue(object.startTimestamp, false);
                                else if (typeof object.startTimestamp === "string")
                                    message.startTimestamp = $parseInt(object.startTimestamp, 10);
                                else if (typeof object.startTimestamp === "number")
                                    message.startTimestamp = object.startTimestamp;
                                else if (typeof object.startTimestamp === "object")
                                    message.startTimestamp = new $util.LongBits(object.startTimestamp.low >>> 0, object.startTimestamp.high >>> 0).toNumber();
                        return message;
                    };

                    /**
                     * Creates a plain object from a Sample message. Also converts values to other types if specified.
                     * @function toObject
                     * @memberof io.prometheus.write.v2.Sample
                     * @static
                     * @param {io.prometheus.write.v2.Sample} message Sample
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
                            if ($util.Long) {
                                let long = new $util.Long(0, 0, false);
                                object.startTimestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                            } else
                                object.startTimestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
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
                        if (message.startTimestamp != null && $Object.hasOwnProperty.call(message, "startTimestamp"))
                            if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                                object.startTimestamp = typeof message.startTimestamp === "number" ? $BigInt(message.startTimestamp) : $util.Long.fromBits(message.startTimestamp.low >>> 0, message.startTimestamp.high >>> 0, false).toBigInt();
                            else if (typeof message.startTimestamp === "number")
                                object.startTimestamp = options.longs === $String ? $String(message.startTimestamp) : message.startTimestamp;
                            else
                                object.startTimestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.startTimestamp) : options.longs === $Number ? new $util.LongBits(message.startTimestamp.low >>> 0, message.startTimestamp.high >>> 0).toNumber() : message.startTimestamp;
                        return object;
                    };

                    /**
                     * Converts this Sample to JSON.
                     * @function toJSON
                     * @memberof io.prometheus.write.v2.Sample
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    Sample.prototype.toJSON = function() {
                        return Sample.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    return Sample;
                })();

                v2.Metadata = (function() {

                    /**
                     * Properties of a Metadata.
                     * @typedef {Object} io.prometheus.write.v2.Metadata.$Properties
                     * @property {io.prometheus.write.v2.Metadata.MetricType|null} [type] Metadata type
                     * @property {number|null} [helpRef] Metadata helpRef
                     * @property {number|null} [unitRef] Metadata unitRef
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a Metadata.
                     * @memberof io.prometheus.write.v2
                     * @interface IMetadata
                     * @augments io.prometheus.write.v2.Metadata.$Properties
                     * @deprecated Use io.prometheus.write.v2.Metadata.$Properties instead.
                     */

                    /**
                     * Shape of a Metadata.
                     * @typedef {io.prometheus.write.v2.Metadata.$Properties} io.prometheus.write.v2.Metadata.$Shape
                     */

                    /**
                     * Constructs a new Metadata.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a Metadata.
                     * @constructor
                     * @param {io.prometheus.write.v2.Metadata.$Properties=} [properties] Properties to set
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */
                    const Metadata = function (properties) {
                        if (properties)
                            for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                                if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                    this[keys[i]] = properties[keys[i]];
                    };

                    /**
                     * Metadata type.
                     * @member {io.prometheus.write.v2.Metadata.MetricType} type
                     * @memberof io.prometheus.write.v2.Metadata
                     * @instance
                     */
                    Metadata.prototype.type = 0;

                    /**
                     * Metadata helpRef.
                     * @member {number} helpRef
                     * @memberof io.prometheus.write.v2.Metadata
                     * @instance
                     */
                    Metadata.prototype.helpRef = 0;

                    /**
                     * Metadata unitRef.
                     * @member {number} unitRef
                     * @memberof io.prometheus.write.v2.Metadata
                     * @instance
                     */
                    Metadata.prototype.unitRef = 0;

                    /**
                     * Creates a new Metadata instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.Metadata
                     * @static
                     * @param {io.prometheus.write.v2.Metadata.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.Metadata} Metadata instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.Metadata.$Shape): io.prometheus.write.v2.Metadata & io.prometheus.write.v2.Metadata.$Shape;
                     *   (properties?: io.prometheus.write.v2.Metadata.$Properties): io.prometheus.write.v2.Metadata;
                     * }}
                     */
                    Metadata.create = function(properties) {
                        return new Metadata(properties);
                    };

                    /**
                     * Encodes the specified Metadata message. Does not implicitly {@link io.prometheus.write.v2.Metadata.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.Metadata
                     * @static
                     * @param {io.prometheus.write.v2.Metadata.$Properties} message Metadata message or plain object to encode
                     * @param {$protobuf.Writer} [writer] Writer to encode to
                     * @returns {$protobuf.Writer} Writer
                     */
                    Metadata.encode = function (message, writer, _depth) {
                        if (!writer)
                            writer = $Writer.create();
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        if (message.type != null && $Object.hasOwnProperty.call(message, "type") && message.type !== 0)
                            writer.uint32(/* id 1, wireType 0 =*/8).int32(message.type);
                        if (message.helpRef != null && $Object.hasOwnProperty.call(message, "helpRef") && message.helpRef !== 0)
                            writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.helpRef);
                        if (message.unitRef != null && $Object.hasOwnProperty.call(message, "unitRef") && message.unitRef !== 0)
                            writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.unitRef);
                        if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                            for (let i = 0; i < message.$unknowns.length; ++i)
                                writer.raw(message.$unknowns[i]);
                        return writer;
                    };

                    /**
                     * Decodes a Metadata message from the specified reader or buffer.
                     * @function decode
                     * @memberof io.prometheus.write.v2.Metadata
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Metadata & io.prometheus.write.v2.Metadata.$Shape} Metadata
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    Metadata.decode = function (reader, length, _end, _depth, _target) {
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
                        message = _target || new $root.io.prometheus.write.v2.Metadata();
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
                            case 3: {
                                    if (wireType !== 0)
                                        break;
                                    if (value = reader.uint32())
                                        message.helpRef = value;
                                    else
                                        delete message.helpRef;
                                    continue;
                                }
                            case 4: {
                                    if (wireType !== 0)
                                        break;
                                    if (value = reader.uint32())
                                        message.unitRef = value;
                                    else
                                        delete message.unitRef;
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
                     * Creates a Metadata message from a plain object. Also converts values to their respective internal types.
                     * @function fromObject
                     * @memberof io.prometheus.write.v2.Metadata
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.Metadata} Metadata
                     */
                    Metadata.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.Metadata)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.Metadata: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.Metadata();
                        if (object.type !== 0 && (typeof object.type !== "string" || $root.io.prometheus.write.v2.Metadata.MetricType[object.type] !== 0))
                            switch (object.type) {
                            case "METRIC_TYPE_UNSPECIFIED":
                            case 0:
                                message.type = 0;
                                break;
                            case "METRIC_TYPE_COUNTER":
                            case 1:
                                message.type = 1;
                                break;
                            case "METRIC_TYPE_GAUGE":
                            case 2:
                                message.type = 2;
                                break;
                            case "METRIC_TYPE_HISTOGRAM":
                            case 3:
                                message.type = 3;
                                break;
                            case "METRIC_TYPE_GAUGEHISTOGRAM":
                            case 4:
                                message.type = 4;
                                break;
                            case "METRIC_TYPE_SUMMARY":
                            case 5:
                                message.type = 5;
                                break;
                            case "METRIC_TYPE_INFO":
                            case 6:
                                message.type = 6;
                                break;
                            case "METRIC_TYPE_STATESET":
                            case 7:
                                message.type = 7;
                                break;
                            default:
                                if (typeof object.type === "number" && (object.type | 0) === object.type)
                                    message.type = object.type;
                            }
                        if (object.helpRef != null)
                            if ($Number(object.helpRef) !== 0)
                                message.helpRef = object.helpRef >>> 0;
                        if (object.unitRef != null)
                            if ($Number(object.unitRef) !== 0)
                                message.unitRef = object.unitRef >>> 0;
                        return message;
                    };

                    /**
                     * Creates a plain object from a Metadata message. Also converts values to other types if specified.
                     * @function toObject
                     * @memberof io.prometheus.write.v2.Metadata
                     * @static
                     * @param {io.prometheus.write.v2.Metadata} message Metadata
                     * @param {$protobuf.IConversionOptions} [options] Conversion options
                     * @returns {Object.<string,*>} Plain object
                     */
                    Metadata.toObject = function (message, options, _depth) {
                        if (!options)
                            options = {};
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let object = {};
                        if (options.defaults) {
                            object.type = options.enums === $String ? "METRIC_TYPE_UNSPECIFIED" : 0;
                            object.helpRef = 0;
                            object.unitRef = 0;
                        }
                        if (message.type != null && $Object.hasOwnProperty.call(message, "type"))
                            object.type = options.enums === $String ? $root.io.prometheus.write.v2.Metadata.MetricType[message.type] === $undefined ? message.type : $root.io.prometheus.write.v2.Metadata.MetricType[message.type] : message.type;
                        if (message.helpRef != null && $Object.hasOwnProperty.call(message, "helpRef"))
                            object.helpRef = message.helpRef;
                        if (message.unitRef != null && $Object.hasOwnProperty.call(message, "unitRef"))
                            object.unitRef = message.unitRef;
                        return object;
                    };

                    /**
                     * Converts this Metadata to JSON.
                     * @function toJSON
                     * @memberof io.prometheus.write.v2.Metadata
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    Metadata.prototype.toJSON = function() {
                        return Metadata.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    /**
                     * MetricType enum.
                     * @name io.prometheus.write.v2.Metadata.MetricType
                     * @enum {number}
                     * @property {number} METRIC_TYPE_UNSPECIFIED=0 METRIC_TYPE_UNSPECIFIED value
                     * @property {number} METRIC_TYPE_COUNTER=1 METRIC_TYPE_COUNTER value
                     * @property {number} METRIC_TYPE_GAUGE=2 METRIC_TYPE_GAUGE value
                     * @property {number} METRIC_TYPE_HISTOGRAM=3 METRIC_TYPE_HISTOGRAM value
                     * @property {number} METRIC_TYPE_GAUGEHISTOGRAM=4 METRIC_TYPE_GAUGEHISTOGRAM value
                     * @property {number} METRIC_TYPE_SUMMARY=5 METRIC_TYPE_SUMMARY value
                     * @property {number} METRIC_TYPE_INFO=6 METRIC_TYPE_INFO value
                     * @property {number} METRIC_TYPE_STATESET=7 METRIC_TYPE_STATESET value
                     */
                    Metadata.MetricType = (function() {
                        const valuesById = $Object.create(null), values = $Object.create(valuesById);
                        values[valuesById[0] = "METRIC_TYPE_UNSPECIFIED"] = 0;
                        values[valuesById[1] = "METRIC_TYPE_COUNTER"] = 1;
                        values[valuesById[2] = "METRIC_TYPE_GAUGE"] = 2;
                        values[valuesById[3] = "METRIC_TYPE_HISTOGRAM"] = 3;
                        values[valuesById[4] = "METRIC_TYPE_GAUGEHISTOGRAM"] = 4;
                        values[valuesById[5] = "METRIC_TYPE_SUMMARY"] = 5;
                        values[valuesById[6] = "METRIC_TYPE_INFO"] = 6;
                        values[valuesById[7] = "METRIC_TYPE_STATESET"] = 7;
                        return values;
                    })();

                    return Metadata;
                })();

                v2.Histogram = (function() {

                    /**
                     * Properties of a Histogram.
                     * @typedef {Object} io.prometheus.write.v2.Histogram.$Properties
                     * @property {number|null} [countInt] Histogram countInt
                     * @property {number|null} [countFloat] Histogram countFloat
                     * @property {number|null} [sum] Histogram sum
                     * @property {number|null} [schema] Histogram schema
                     * @property {number|null} [zeroThreshold] Histogram zeroThreshold
                     * @property {number|null} [zeroCountInt] Histogram zeroCountInt
                     * @property {number|null} [zeroCountFloat] Histogram zeroCountFloat
                     * @property {Array.<io.prometheus.write.v2.BucketSpan.$Properties>|null} [negativeSpans] Histogram negativeSpans
                     * @property {Array.<number>|null} [negativeDeltas] Histogram negativeDeltas
                     * @property {Array.<number>|null} [negativeCounts] Histogram negativeCounts
                     * @property {Array.<io.prometheus.write.v2.BucketSpan.$Properties>|null} [positiveSpans] Histogram positiveSpans
                     * @property {Array.<number>|null} [positiveDeltas] Histogram positiveDeltas
                     * @property {Array.<number>|null} [positiveCounts] Histogram positiveCounts
                     * @property {io.prometheus.write.v2.Histogram.ResetHint|null} [resetHint] Histogram resetHint
                     * @property {number|null} [timestamp] Histogram timestamp
                     * @property {Array.<number>|null} [customValues] Histogram customValues
                     * @property {number|null} [startTimestamp] Histogram startTimestamp
                     * @property {"countInt"|"countFloat"} [count] Histogram count
                     * @property {"zeroCountInt"|"zeroCountFloat"} [zeroCount] Histogram zeroCount
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a Histogram.
                     * @memberof io.prometheus.write.v2
                     * @interface IHistogram
                     * @augments io.prometheus.write.v2.Histogram.$Properties
                     * @deprecated Use io.prometheus.write.v2.Histogram.$Properties instead.
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
                     *   negativeSpans?: Array.<io.prometheus.write.v2.BucketSpan.$Shape>|null;
                     *   negativeDeltas?: Array.<number>|null;
                     *   negativeCounts?: Array.<number>|null;
                     *   positiveSpans?: Array.<io.prometheus.write.v2.BucketSpan.$Shape>|null;
                     *   positiveDeltas?: Array.<number>|null;
                     *   positiveCounts?: Array.<number>|null;
                     *   resetHint?: io.prometheus.write.v2.Histogram.ResetHint|null;
                     *   timestamp?: number|null;
                     *   customValues?: Array.<number>|null;
                     *   startTimestamp?: number|null;
                     *   $unknowns?: Array.<Uint8Array>;
                     * } & (
                     *   ({ count?: undefined; countInt?: null; countFloat?: null }|{ count?: "countInt"; countInt: number; countFloat?: null }|{ count?: "countFloat"; countInt?: null; countFloat: number })
                     * ) & (
                     *   ({ zeroCount?: undefined; zeroCountInt?: null; zeroCountFloat?: null }|{ zeroCount?: "zeroCountInt"; zeroCountInt: number; zeroCountFloat?: null }|{ zeroCount?: "zeroCountFloat"; zeroCountInt?: null; zeroCountFloat: number })
                     * )} io.prometheus.write.v2.Histogram.$Shape
                     */

                    /**
                     * Constructs a new Histogram.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a Histogram.
                     * @constructor
                     * @param {io.prometheus.write.v2.Histogram.$Properties=} [properties] Properties to set
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
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.countInt = null;

                    /**
                     * Histogram countFloat.
                     * @member {number|null|undefined} countFloat
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.countFloat = null;

                    /**
                     * Histogram sum.
                     * @member {number} sum
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.sum = 0;

                    /**
                     * Histogram schema.
                     * @member {number} schema
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.schema = 0;

                    /**
                     * Histogram zeroThreshold.
                     * @member {number} zeroThreshold
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.zeroThreshold = 0;

                    /**
                     * Histogram zeroCountInt.
                     * @member {number|null|undefined} zeroCountInt
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.zeroCountInt = null;

                    /**
                     * Histogram zeroCountFloat.
                     * @member {number|null|undefined} zeroCountFloat
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.zeroCountFloat = null;

                    /**
                     * Histogram negativeSpans.
                     * @member {Array.<io.prometheus.write.v2.BucketSpan.$Properties>} negativeSpans
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.negativeSpans = $util.emptyArray;

                    /**
                     * Histogram negativeDeltas.
                     * @member {Array.<number>} negativeDeltas
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.negativeDeltas = $util.emptyArray;

                    /**
                     * Histogram negativeCounts.
                     * @member {Array.<number>} negativeCounts
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.negativeCounts = $util.emptyArray;

                    /**
                     * Histogram positiveSpans.
                     * @member {Array.<io.prometheus.write.v2.BucketSpan.$Properties>} positiveSpans
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.positiveSpans = $util.emptyArray;

                    /**
                     * Histogram positiveDeltas.
                     * @member {Array.<number>} positiveDeltas
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.positiveDeltas = $util.emptyArray;

                    /**
                     * Histogram positiveCounts.
                     * @member {Array.<number>} positiveCounts
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.positiveCounts = $util.emptyArray;

                    /**
                     * Histogram resetHint.
                     * @member {io.prometheus.write.v2.Histogram.ResetHint} resetHint
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.resetHint = 0;

                    /**
                     * Histogram timestamp.
                     * @member {number} timestamp
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.timestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

                    /**
                     * Histogram customValues.
                     * @member {Array.<number>} customValues
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.customValues = $util.emptyArray;

                    /**
                     * Histogram startTimestamp.
                     * @member {number} startTimestamp
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    Histogram.prototype.startTimestamp = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

                    // OneOf field names bound to virtual getters and setters
                    let $oneOfFields;

                    /**
                     * Histogram count.
                     * @member {"countInt"|"countFloat"|undefined} count
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    $Object.defineProperty(Histogram.prototype, "count", {
                        get: $util.oneOfGetter($oneOfFields = ["countInt", "countFloat"]),
                        set: $util.oneOfSetter($oneOfFields)
                    });

                    /**
                     * Histogram zeroCount.
                     * @member {"zeroCountInt"|"zeroCountFloat"|undefined} zeroCount
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     */
                    $Object.defineProperty(Histogram.prototype, "zeroCount", {
                        get: $util.oneOfGetter($oneOfFields = ["zeroCountInt", "zeroCountFloat"]),
                        set: $util.oneOfSetter($oneOfFields)
                    });

                    /**
                     * Creates a new Histogram instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.Histogram
                     * @static
                     * @param {io.prometheus.write.v2.Histogram.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.Histogram} Histogram instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.Histogram.$Shape): io.prometheus.write.v2.Histogram & io.prometheus.write.v2.Histogram.$Shape;
                     *   (properties?: io.prometheus.write.v2.Histogram.$Properties): io.prometheus.write.v2.Histogram;
                     * }}
                     */
                    Histogram.create = function(properties) {
                        return new Histogram(properties);
                    };

                    /**
                     * Encodes the specified Histogram message. Does not implicitly {@link io.prometheus.write.v2.Histogram.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.Histogram
                     * @static
                     * @param {io.prometheus.write.v2.Histogram.$Properties} message Histogram message or plain object to encode
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
                                $root.io.prometheus.write.v2.BucketSpan.encode(message.negativeSpans[i], writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                        if (message.negativeDeltas != null && message.negativeDeltas.length)
                            writer.uint32(/* id 9, wireType 2 =*/74).sint64s(message.negativeDeltas);
                        if (message.negativeCounts != null && message.negativeCounts.length)
                            writer.uint32(/* id 10, wireType 2 =*/82).doubles(message.negativeCounts);
                        if (message.positiveSpans != null && message.positiveSpans.length)
                            for (let i = 0; i < message.positiveSpans.length; ++i)
                                $root.io.prometheus.write.v2.BucketSpan.encode(message.positiveSpans[i], writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
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
                        if (message.startTimestamp != null && $Object.hasOwnProperty.call(message, "startTimestamp") && (typeof message.startTimestamp === "object" ? message.startTimestamp.low || message.startTimestamp.high : message.startTimestamp !== 0))
                            writer.uint32(/* id 17, wireType 0 =*/136).int64(message.startTimestamp);
                        if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                            for (let i = 0; i < message.$unknowns.length; ++i)
                                writer.raw(message.$unknowns[i]);
                        return writer;
                    };

                    /**
                     * Decodes a Histogram message from the specified reader or buffer.
                     * @function decode
                     * @memberof io.prometheus.write.v2.Histogram
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Histogram & io.prometheus.write.v2.Histogram.$Shape} Histogram
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
                        message = _target || new $root.io.prometheus.write.v2.Histogram();
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
                                    message.negativeSpans.push($root.io.prometheus.write.v2.BucketSpan.decode(reader, reader.size(), $undefined, _depth + 1));
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
                                    message.positiveSpans.push($root.io.prometheus.write.v2.BucketSpan.decode(reader, reader.size(), $undefined, _depth + 1));
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
                            case 17: {
                                    if (wireType !== 0)
                                        break;
                                    if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                        message.startTimestamp = value;
                                    else
                                        delete message.startTimestamp;
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
                     * @memberof io.prometheus.write.v2.Histogram
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.Histogram} Histogram
                     */
                    Histogram.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.Histogram)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.Histogram: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.Histogram();
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
                                throw $TypeError(".io.prometheus.write.v2.Histogram.negativeSpans: array expected");
                            message.negativeSpans = $Array(object.negativeSpans.length);
                            for (let i = 0; i < object.negativeSpans.length; ++i) {
                                if (!$util.isObject(object.negativeSpans[i]))
                                    throw $TypeError(".io.prometheus.write.v2.Histogram.negativeSpans: object expected");
                                message.negativeSpans[i] = $root.io.prometheus.write.v2.BucketSpan.fromObject(object.negativeSpans[i], _depth + 1);
                            }
                        }
                        if (object.negativeDeltas) {
                            if (!$Array.isArray(object.negativeDeltas))
                                throw $TypeError(".io.prometheus.write.v2.Histogram.negativeDeltas: array expected");
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
                                throw $TypeError(".io.prometheus.write.v2.Histogram.negativeCounts: array expected");
                            message.negativeCounts = $Array(object.negativeCounts.length);
                            for (let i = 0; i < object.negativeCounts.length; ++i)
                                message.negativeCounts[i] = $Number(object.negativeCounts[i]);
                        }
                        if (object.positiveSpans) {
                            if (!$Array.isArray(object.positiveSpans))
                                throw $TypeError(".io.prometheus.write.v2.Histogram.positiveSpans: array expected");
                            message.positiveSpans = $Array(object.positiveSpans.length);
                            for (let i = 0; i < object.positiveSpans.length; ++i) {
                                if (!$util.isObject(object.positiveSpans[i]))
                                    throw $TypeError(".io.prometheus.write.v2.Histogram.positiveSpans: object expected");
                                message.positiveSpans[i] = $root.io.prometheus.write.v2.BucketSpan.fromObject(object.positiveSpans[i], _depth + 1);
                            }
                        }
                        if (object.positiveDeltas) {
                            if (!$Array.isArray(object.positiveDeltas))
                                throw $TypeError(".io.prometheus.write.v2.Histogram.positiveDeltas: array expected");
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
                                throw $TypeError(".io.prometheus.write.v2.Histogram.positiveCounts: array expected");
                            message.positiveCounts = $Array(object.positiveCounts.length);
                            for (let i = 0; i < object.positiveCounts.length; ++i)
                                message.positiveCounts[i] = $Number(object.positiveCounts[i]);
                        }
                        if (object.resetHint !== 0 && (typeof object.resetHint !== "string" || $root.io.prometheus.write.v2.Histogram.ResetHint[object.resetHint] !== 0))
                            switch (object.resetHint) {
                            case "RESET_HINT_UNSPECIFIED":
                            case 0:
                                message.resetHint = 0;
                                break;
                            case "RESET_HINT_YES":
                            case 1:
                                message.resetHint = 1;
                                break;
                            case "RESET_HINT_NO":
                            case 2:
                                message.resetHint = 2;
                                break;
                            case "RESET_HINT_GAUGE":
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
                                throw $TypeError(".io.prometheus.write.v2.Histogram.customValues: array expected");
                            message.customValues = $Array(object.customValues.length);
                            for (let i = 0; i < object.customValues.length; ++i)
                                message.customValues[i] = $Number(object.customValues[i]);
                        }
                        if (object.startTimestamp != null)
                            if (typeof object.startTimestamp === "object" ? object.startTimestamp.low || object.startTimestamp.high : $Number(object.startTimestamp) !== 0)
                                if ($util.Long)
                                    message.startTimestamp = $util.Long.fromValue(object.startTimestamp, false);
                                else if (typeof object.startTimestamp === "string")
                                    message.startTimestamp = $parseInt(object.startTimestamp, 10);
                                else if (typeof object.startTimestamp === "number")
                                    message.startTimestamp = object.startTimestamp;
                                else if (typeof object.startTimestamp === "object")
                                    message.startTimestamp = new $util.LongBits(object.startTimestamp.low >>> 0, object.startTimestamp.high >>> 0).toNumber();
                        return message;
                    };

                    /**
                     * Creates a plain object from a Histogram message. Also converts values to other types if specified.
                     * @function toObject
                     * @memberof io.prometheus.write.v2.Histogram
                     * @static
                     * @param {io.prometheus.write.v2.Histogram} message Histogram
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
                            object.resetHint = options.enums === $String ? "RESET_HINT_UNSPECIFIED" : 0;
                            if ($util.Long) {
                                let long = new $util.Long(0, 0, false);
                                object.timestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                            } else
                                object.timestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
                            if ($util.Long) {
                                let long = new $util.Long(0, 0, false);
                                object.startTimestamp = options.longs === $String ? long.toString() : options.longs === $Number ? long.toNumber() : typeof $BigInt !== "undefined" && options.longs === $BigInt ? long.toBigInt() : long;
                            } else
                                object.startTimestamp = options.longs === $String ? "0" : typeof $BigInt !== "undefined" && options.longs === $BigInt ? $BigInt("0") : 0;
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
                                object.negativeSpans[j] = $root.io.prometheus.write.v2.BucketSpan.toObject(message.negativeSpans[j], options, _depth + 1);
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
                                object.positiveSpans[j] = $root.io.prometheus.write.v2.BucketSpan.toObject(message.positiveSpans[j], options, _depth + 1);
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
                            object.resetHint = options.enums === $String ? $root.io.prometheus.write.v2.Histogram.ResetHint[message.resetHint] === $undefined ? message.resetHint : $root.io.prometheus.write.v2.Histogram.ResetHint[message.resetHint] : message.resetHint;
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
                        if (message.startTimestamp != null && $Object.hasOwnProperty.call(message, "startTimestamp"))
                            if (typeof $BigInt !== "undefined" && options.longs === $BigInt)
                                object.startTimestamp = typeof message.startTimestamp === "number" ? $BigInt(message.startTimestamp) : $util.Long.fromBits(message.startTimestamp.low >>> 0, message.startTimestamp.high >>> 0, false).toBigInt();
                            else if (typeof message.startTimestamp === "number")
                                object.startTimestamp = options.longs === $String ? $String(message.startTimestamp) : message.startTimestamp;
                            else
                                object.startTimestamp = options.longs === $String ? $util.Long.prototype.toString.call(message.startTimestamp) : options.longs === $Number ? new $util.LongBits(message.startTimestamp.low >>> 0, message.startTimestamp.high >>> 0).toNumber() : message.startTimestamp;
                        return object;
                    };

                    /**
                     * Converts this Histogram to JSON.
                     * @function toJSON
                     * @memberof io.prometheus.write.v2.Histogram
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    Histogram.prototype.toJSON = function() {
                        return Histogram.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    /**
                     * ResetHint enum.
                     * @name io.prometheus.write.v2.Histogram.ResetHint
                     * @enum {number}
                     * @property {number} RESET_HINT_UNSPECIFIED=0 RESET_HINT_UNSPECIFIED value
                     * @property {number} RESET_HINT_YES=1 RESET_HINT_YES value
                     * @property {number} RESET_HINT_NO=2 RESET_HINT_NO value
                     * @property {number} RESET_HINT_GAUGE=3 RESET_HINT_GAUGE value
                     */
                    Histogram.ResetHint = (function() {
                        const valuesById = $Object.create(null), values = $Object.create(valuesById);
                        values[valuesById[0] = "RESET_HINT_UNSPECIFIED"] = 0;
                        values[valuesById[1] = "RESET_HINT_YES"] = 1;
                        values[valuesById[2] = "RESET_HINT_NO"] = 2;
                        values[valuesById[3] = "RESET_HINT_GAUGE"] = 3;
                        return values;
                    })();

                    return Histogram;
                })();

                v2.BucketSpan = (function() {

                    /**
                     * Properties of a BucketSpan.
                     * @typedef {Object} io.prometheus.write.v2.BucketSpan.$Properties
                     * @property {number|null} [offset] BucketSpan offset
                     * @property {number|null} [length] BucketSpan length
                     * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                     */

                    /**
                     * Properties of a BucketSpan.
                     * @memberof io.prometheus.write.v2
                     * @interface IBucketSpan
                     * @augments io.prometheus.write.v2.BucketSpan.$Properties
                     * @deprecated Use io.prometheus.write.v2.BucketSpan.$Properties instead.
                     */

                    /**
                     * Shape of a BucketSpan.
                     * @typedef {io.prometheus.write.v2.BucketSpan.$Properties} io.prometheus.write.v2.BucketSpan.$Shape
                     */

                    /**
                     * Constructs a new BucketSpan.
                     * @memberof io.prometheus.write.v2
                     * @classdesc Represents a BucketSpan.
                     * @constructor
                     * @param {io.prometheus.write.v2.BucketSpan.$Properties=} [properties] Properties to set
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
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @instance
                     */
                    BucketSpan.prototype.offset = 0;

                    /**
                     * BucketSpan length.
                     * @member {number} length
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @instance
                     */
                    BucketSpan.prototype.length = 0;

                    /**
                     * Creates a new BucketSpan instance using the specified properties.
                     * @function create
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @static
                     * @param {io.prometheus.write.v2.BucketSpan.$Properties=} [properties] Properties to set
                     * @returns {io.prometheus.write.v2.BucketSpan} BucketSpan instance
                     * @type {{
                     *   (properties: io.prometheus.write.v2.BucketSpan.$Shape): io.prometheus.write.v2.BucketSpan & io.prometheus.write.v2.BucketSpan.$Shape;
                     *   (properties?: io.prometheus.write.v2.BucketSpan.$Properties): io.prometheus.write.v2.BucketSpan;
                     * }}
                     */
                    BucketSpan.create = function(properties) {
                        return new BucketSpan(properties);
                    };

                    /**
                     * Encodes the specified BucketSpan message. Does not implicitly {@link io.prometheus.write.v2.BucketSpan.verify|verify} messages.
                     * @function encode
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @static
                     * @param {io.prometheus.write.v2.BucketSpan.$Properties} message BucketSpan message or plain object to encode
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
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @static
                     * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                     * @param {number} [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.BucketSpan & io.prometheus.write.v2.BucketSpan.$Shape} BucketSpan
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
                        message = _target || new $root.io.prometheus.write.v2.BucketSpan();
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
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @static
                     * @param {Object.<string,*>} object Plain object
                     * @returns {io.prometheus.write.v2.BucketSpan} BucketSpan
                     */
                    BucketSpan.fromObject = function (object, _depth) {
                        if (object instanceof $root.io.prometheus.write.v2.BucketSpan)
                            return object;
                        if (!$util.isObject(object))
                            throw $TypeError(".io.prometheus.write.v2.BucketSpan: object expected");
                        if (_depth === $undefined)
                            _depth = 0;
                        if (_depth > $util.recursionLimit)
                            throw $Error("max depth exceeded");
                        let message = new $root.io.prometheus.write.v2.BucketSpan();
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
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @static
                     * @param {io.prometheus.write.v2.BucketSpan} message BucketSpan
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
                     * @memberof io.prometheus.write.v2.BucketSpan
                     * @instance
                     * @returns {Object.<string,*>} JSON object
                     */
                    BucketSpan.prototype.toJSON = function() {
                        return BucketSpan.toObject(this, $protobuf.util.toJSONOptions);
                    };

                    return BucketSpan;
                })();

                return v2;
            })();

            return write;
        })();

        return prometheus;
    })();

    return io;
})();

export {
  $root as default
};
