import * as $protobuf from "protobufjs/minimal.js";

/** Namespace io. */
export namespace io {

    /** Namespace prometheus. */
    namespace prometheus {

        /** Namespace write. */
        namespace write {

            /** Namespace v2. */
            namespace v2 {

                /**
                 * Properties of a Request.
                 * @deprecated Use io.prometheus.write.v2.Request.$Properties instead.
                 */
                interface IRequest extends io.prometheus.write.v2.Request.$Properties {
                }

                /** Represents a Request. */
                class Request {

                    /**
                     * Constructs a new Request.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.Request.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** Request symbols. */
                    symbols: string[];

                    /** Request timeseries. */
                    timeseries: io.prometheus.write.v2.TimeSeries.$Properties[];

                    /**
                     * Creates a new Request instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns Request instance
                     */
                    static create(properties: io.prometheus.write.v2.Request.$Shape): io.prometheus.write.v2.Request & io.prometheus.write.v2.Request.$Shape;
                    static create(properties?: io.prometheus.write.v2.Request.$Properties): io.prometheus.write.v2.Request;

                    /**
                     * Encodes the specified Request message. Does not implicitly {@link io.prometheus.write.v2.Request.verify|verify} messages.
                     * @param message Request message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.Request.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a Request message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Request & io.prometheus.write.v2.Request.$Shape} Request
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.Request & io.prometheus.write.v2.Request.$Shape;

                    /**
                     * Creates a Request message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns Request
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.Request;

                    /**
                     * Creates a plain object from a Request message. Also converts values to other types if specified.
                     * @param message Request
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.Request, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this Request to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace Request {

                    /** Properties of a Request. */
                    interface $Properties {

                        /** Request symbols */
                        symbols?: (string[]|null);

                        /** Request timeseries */
                        timeseries?: (io.prometheus.write.v2.TimeSeries.$Properties[]|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a Request. */
                    type $Shape = io.prometheus.write.v2.Request.$Properties;
                }

                /**
                 * Properties of a TimeSeries.
                 * @deprecated Use io.prometheus.write.v2.TimeSeries.$Properties instead.
                 */
                interface ITimeSeries extends io.prometheus.write.v2.TimeSeries.$Properties {
                }

                /** Represents a TimeSeries. */
                class TimeSeries {

                    /**
                     * Constructs a new TimeSeries.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.TimeSeries.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** TimeSeries labelsRefs. */
                    labelsRefs: number[];

                    /** TimeSeries samples. */
                    samples: io.prometheus.write.v2.Sample.$Properties[];

                    /** TimeSeries exemplars. */
                    exemplars: io.prometheus.write.v2.Exemplar.$Properties[];

                    /** TimeSeries metadata. */
                    metadata?: (io.prometheus.write.v2.Metadata.$Properties|null);

                    /**
                     * Creates a new TimeSeries instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns TimeSeries instance
                     */
                    static create(properties: io.prometheus.write.v2.TimeSeries.$Shape): io.prometheus.write.v2.TimeSeries & io.prometheus.write.v2.TimeSeries.$Shape;
                    static create(properties?: io.prometheus.write.v2.TimeSeries.$Properties): io.prometheus.write.v2.TimeSeries;

                    /**
                     * Encodes the specified TimeSeries message. Does not implicitly {@link io.prometheus.write.v2.TimeSeries.verify|verify} messages.
                     * @param message TimeSeries message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.TimeSeries.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a TimeSeries message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.TimeSeries & io.prometheus.write.v2.TimeSeries.$Shape} TimeSeries
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.TimeSeries & io.prometheus.write.v2.TimeSeries.$Shape;

                    /**
                     * Creates a TimeSeries message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns TimeSeries
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.TimeSeries;

                    /**
                     * Creates a plain object from a TimeSeries message. Also converts values to other types if specified.
                     * @param message TimeSeries
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.TimeSeries, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this TimeSeries to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace TimeSeries {

                    /** Properties of a TimeSeries. */
                    interface $Properties {

                        /** TimeSeries labelsRefs */
                        labelsRefs?: (number[]|null);

                        /** TimeSeries samples */
                        samples?: (io.prometheus.write.v2.Sample.$Properties[]|null);

                        /** TimeSeries exemplars */
                        exemplars?: (io.prometheus.write.v2.Exemplar.$Properties[]|null);

                        /** TimeSeries metadata */
                        metadata?: (io.prometheus.write.v2.Metadata.$Properties|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a TimeSeries. */
                    type $Shape = io.prometheus.write.v2.TimeSeries.$Properties;
                }

                /**
                 * Properties of an Exemplar.
                 * @deprecated Use io.prometheus.write.v2.Exemplar.$Properties instead.
                 */
                interface IExemplar extends io.prometheus.write.v2.Exemplar.$Properties {
                }

                /** Represents an Exemplar. */
                class Exemplar {

                    /**
                     * Constructs a new Exemplar.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.Exemplar.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** Exemplar labelsRefs. */
                    labelsRefs: number[];

                    /** Exemplar value. */
                    value: number;

                    /** Exemplar timestamp. */
                    timestamp: number;

                    /**
                     * Creates a new Exemplar instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns Exemplar instance
                     */
                    static create(properties: io.prometheus.write.v2.Exemplar.$Shape): io.prometheus.write.v2.Exemplar & io.prometheus.write.v2.Exemplar.$Shape;
                    static create(properties?: io.prometheus.write.v2.Exemplar.$Properties): io.prometheus.write.v2.Exemplar;

                    /**
                     * Encodes the specified Exemplar message. Does not implicitly {@link io.prometheus.write.v2.Exemplar.verify|verify} messages.
                     * @param message Exemplar message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.Exemplar.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes an Exemplar message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Exemplar & io.prometheus.write.v2.Exemplar.$Shape} Exemplar
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.Exemplar & io.prometheus.write.v2.Exemplar.$Shape;

                    /**
                     * Creates an Exemplar message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns Exemplar
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.Exemplar;

                    /**
                     * Creates a plain object from an Exemplar message. Also converts values to other types if specified.
                     * @param message Exemplar
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.Exemplar, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this Exemplar to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace Exemplar {

                    /** Properties of an Exemplar. */
                    interface $Properties {

                        /** Exemplar labelsRefs */
                        labelsRefs?: (number[]|null);

                        /** Exemplar value */
                        value?: (number|null);

                        /** Exemplar timestamp */
                        timestamp?: (number|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of an Exemplar. */
                    type $Shape = io.prometheus.write.v2.Exemplar.$Properties;
                }

                /**
                 * Properties of a Sample.
                 * @deprecated Use io.prometheus.write.v2.Sample.$Properties instead.
                 */
                interface ISample extends io.prometheus.write.v2.Sample.$Properties {
                }

                /** Represents a Sample. */
                class Sample {

                    /**
                     * Constructs a new Sample.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.Sample.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** Sample value. */
                    value: number;

                    /** Sample timestamp. */
                    timestamp: number;

                    /** Sample startTimestamp. */
                    startTimestamp: number;

                    /**
                     * Creates a new Sample instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns Sample instance
                     */
                    static create(properties: io.prometheus.write.v2.Sample.$Shape): io.prometheus.write.v2.Sample & io.prometheus.write.v2.Sample.$Shape;
                    static create(properties?: io.prometheus.write.v2.Sample.$Properties): io.prometheus.write.v2.Sample;

                    /**
                     * Encodes the specified Sample message. Does not implicitly {@link io.prometheus.write.v2.Sample.verify|verify} messages.
                     * @param message Sample message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.Sample.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a Sample message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Sample & io.prometheus.write.v2.Sample.$Shape} Sample
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.Sample & io.prometheus.write.v2.Sample.$Shape;

                    /**
                     * Creates a Sample message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns Sample
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.Sample;

                    /**
                     * Creates a plain object from a Sample message. Also converts values to other types if specified.
                     * @param message Sample
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.Sample, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this Sample to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace Sample {

                    /** Properties of a Sample. */
                    interface $Properties {

                        /** Sample value */
                        value?: (number|null);

                        /** Sample timestamp */
                        timestamp?: (number|null);

                        /** Sample startTimestamp */
                        startTimestamp?: (number|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a Sample. */
                    type $Shape = io.prometheus.write.v2.Sample.$Properties;
                }

                /**
                 * Properties of a Metadata.
                 * @deprecated Use io.prometheus.write.v2.Metadata.$Properties instead.
                 */
                interface IMetadata extends io.prometheus.write.v2.Metadata.$Properties {
                }

                /** Represents a Metadata. */
                class Metadata {

                    /**
                     * Constructs a new Metadata.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.Metadata.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** Metadata type. */
                    type: io.prometheus.write.v2.Metadata.MetricType;

                    /** Metadata helpRef. */
                    helpRef: number;

                    /** Metadata unitRef. */
                    unitRef: number;

                    /**
                     * Creates a new Metadata instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns Metadata instance
                     */
                    static create(properties: io.prometheus.write.v2.Metadata.$Shape): io.prometheus.write.v2.Metadata & io.prometheus.write.v2.Metadata.$Shape;
                    static create(properties?: io.prometheus.write.v2.Metadata.$Properties): io.prometheus.write.v2.Metadata;

                    /**
                     * Encodes the specified Metadata message. Does not implicitly {@link io.prometheus.write.v2.Metadata.verify|verify} messages.
                     * @param message Metadata message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.Metadata.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a Metadata message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Metadata & io.prometheus.write.v2.Metadata.$Shape} Metadata
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.Metadata & io.prometheus.write.v2.Metadata.$Shape;

                    /**
                     * Creates a Metadata message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns Metadata
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.Metadata;

                    /**
                     * Creates a plain object from a Metadata message. Also converts values to other types if specified.
                     * @param message Metadata
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.Metadata, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this Metadata to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace Metadata {

                    /** Properties of a Metadata. */
                    interface $Properties {

                        /** Metadata type */
                        type?: (io.prometheus.write.v2.Metadata.MetricType|null);

                        /** Metadata helpRef */
                        helpRef?: (number|null);

                        /** Metadata unitRef */
                        unitRef?: (number|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a Metadata. */
                    type $Shape = io.prometheus.write.v2.Metadata.$Properties;

                    /** MetricType enum. */
                    enum MetricType {

                        /** METRIC_TYPE_UNSPECIFIED value */
                        METRIC_TYPE_UNSPECIFIED = 0,

                        /** METRIC_TYPE_COUNTER value */
                        METRIC_TYPE_COUNTER = 1,

                        /** METRIC_TYPE_GAUGE value */
                        METRIC_TYPE_GAUGE = 2,

                        /** METRIC_TYPE_HISTOGRAM value */
                        METRIC_TYPE_HISTOGRAM = 3,

                        /** METRIC_TYPE_GAUGEHISTOGRAM value */
                        METRIC_TYPE_GAUGEHISTOGRAM = 4,

                        /** METRIC_TYPE_SUMMARY value */
                        METRIC_TYPE_SUMMARY = 5,

                        /** METRIC_TYPE_INFO value */
                        METRIC_TYPE_INFO = 6,

                        /** METRIC_TYPE_STATESET value */
                        METRIC_TYPE_STATESET = 7
                    }
                }
            }
        }
    }
}
