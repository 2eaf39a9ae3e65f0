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
                     * @typedef {io.prometheus.write.v2.Request.$Properties} io.prometheus.write.v2.Request.$Shape
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
                     * @typedef {io.prometheus.write.v2.TimeSeries.$Properties} io.prometheus.write.v2.TimeSeries.$Shape
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
