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
                    type $Shape = {
                      symbols?: string[]|null;
                      timeseries?: io.prometheus.write.v2.TimeSeries.$Shape[]|null;
                      $unknowns?: Uint8Array[];
                    };
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

                    /** TimeSeries histograms. */
                    histograms: io.prometheus.write.v2.Histogram.$Properties[];

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

                        /** TimeSeries histograms */
                        histograms?: (io.prometheus.write.v2.Histogram.$Properties[]|null);

                        /** TimeSeries exemplars */
                        exemplars?: (io.prometheus.write.v2.Exemplar.$Properties[]|null);

                        /** TimeSeries metadata */
                        metadata?: (io.prometheus.write.v2.Metadata.$Properties|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a TimeSeries. */
                    type $Shape = {
                      labelsRefs?: number[]|null;
                      samples?: io.prometheus.write.v2.Sample.$Shape[]|null;
                      histograms?: io.prometheus.write.v2.Histogram.$Shape[]|null;
                      exemplars?: io.prometheus.write.v2.Exemplar.$Shape[]|null;
                      metadata?: io.prometheus.write.v2.Metadata.$Shape|null;
                      $unknowns?: Uint8Array[];
                    };
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

                /**
                 * Properties of a Histogram.
                 * @deprecated Use io.prometheus.write.v2.Histogram.$Properties instead.
                 */
                interface IHistogram extends io.prometheus.write.v2.Histogram.$Properties {
                }

                /** Represents a Histogram. */
                class Histogram {

                    /**
                     * Constructs a new Histogram.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.Histogram.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** Histogram countInt. */
                    countInt?: (number|null);

                    /** Histogram countFloat. */
                    countFloat?: (number|null);

                    /** Histogram sum. */
                    sum: number;

                    /** Histogram schema. */
                    schema: number;

                    /** Histogram zeroThreshold. */
                    zeroThreshold: number;

                    /** Histogram zeroCountInt. */
                    zeroCountInt?: (number|null);

                    /** Histogram zeroCountFloat. */
                    zeroCountFloat?: (number|null);

                    /** Histogram negativeSpans. */
                    negativeSpans: io.prometheus.write.v2.BucketSpan.$Properties[];

                    /** Histogram negativeDeltas. */
                    negativeDeltas: number[];

                    /** Histogram negativeCounts. */
                    negativeCounts: number[];

                    /** Histogram positiveSpans. */
                    positiveSpans: io.prometheus.write.v2.BucketSpan.$Properties[];

                    /** Histogram positiveDeltas. */
                    positiveDeltas: number[];

                    /** Histogram positiveCounts. */
                    positiveCounts: number[];

                    /** Histogram resetHint. */
                    resetHint: io.prometheus.write.v2.Histogram.ResetHint;

                    /** Histogram timestamp. */
                    timestamp: number;

                    /** Histogram customValues. */
                    customValues: number[];

                    /** Histogram startTimestamp. */
                    startTimestamp: number;

                    /** Histogram count. */
                    count?: ("countInt"|"countFloat");

                    /** Histogram zeroCount. */
                    zeroCount?: ("zeroCountInt"|"zeroCountFloat");

                    /**
                     * Creates a new Histogram instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns Histogram instance
                     */
                    static create(properties: io.prometheus.write.v2.Histogram.$Shape): io.prometheus.write.v2.Histogram & io.prometheus.write.v2.Histogram.$Shape;
                    static create(properties?: io.prometheus.write.v2.Histogram.$Properties): io.prometheus.write.v2.Histogram;

                    /**
                     * Encodes the specified Histogram message. Does not implicitly {@link io.prometheus.write.v2.Histogram.verify|verify} messages.
                     * @param message Histogram message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.Histogram.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a Histogram message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.Histogram & io.prometheus.write.v2.Histogram.$Shape} Histogram
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.Histogram & io.prometheus.write.v2.Histogram.$Shape;

                    /**
                     * Creates a Histogram message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns Histogram
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.Histogram;

                    /**
                     * Creates a plain object from a Histogram message. Also converts values to other types if specified.
                     * @param message Histogram
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.Histogram, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this Histogram to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace Histogram {

                    /** Properties of a Histogram. */
                    interface $Properties {

                        /** Histogram countInt */
                        countInt?: (number|null);

                        /** Histogram countFloat */
                        countFloat?: (number|null);

                        /** Histogram sum */
                        sum?: (number|null);

                        /** Histogram schema */
                        schema?: (number|null);

                        /** Histogram zeroThreshold */
                        zeroThreshold?: (number|null);

                        /** Histogram zeroCountInt */
                        zeroCountInt?: (number|null);

                        /** Histogram zeroCountFloat */
                        zeroCountFloat?: (number|null);

                        /** Histogram negativeSpans */
                        negativeSpans?: (io.prometheus.write.v2.BucketSpan.$Properties[]|null);

                        /** Histogram negativeDeltas */
                        negativeDeltas?: (number[]|null);

                        /** Histogram negativeCounts */
                        negativeCounts?: (number[]|null);

                        /** Histogram positiveSpans */
                        positiveSpans?: (io.prometheus.write.v2.BucketSpan.$Properties[]|null);

                        /** Histogram positiveDeltas */
                        positiveDeltas?: (number[]|null);

                        /** Histogram positiveCounts */
                        positiveCounts?: (number[]|null);

                        /** Histogram resetHint */
                        resetHint?: (io.prometheus.write.v2.Histogram.ResetHint|null);

                        /** Histogram timestamp */
                        timestamp?: (number|null);

                        /** Histogram customValues */
                        customValues?: (number[]|null);

                        /** Histogram startTimestamp */
                        startTimestamp?: (number|null);

                        /** Histogram count */
                        count?: ("countInt"|"countFloat");

                        /** Histogram zeroCount */
                        zeroCount?: ("zeroCountInt"|"zeroCountFloat");

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Narrowed shape of a Histogram. */
                    type $Shape = {
                      countInt?: number|null;
                      countFloat?: number|null;
                      sum?: number|null;
                      schema?: number|null;
                      zeroThreshold?: number|null;
                      zeroCountInt?: number|null;
                      zeroCountFloat?: number|null;
                      negativeSpans?: io.prometheus.write.v2.BucketSpan.$Shape[]|null;
                      negativeDeltas?: number[]|null;
                      negativeCounts?: number[]|null;
                      positiveSpans?: io.prometheus.write.v2.BucketSpan.$Shape[]|null;
                      positiveDeltas?: number[]|null;
                      positiveCounts?: number[]|null;
                      resetHint?: io.prometheus.write.v2.Histogram.ResetHint|null;
                      timestamp?: number|null;
                      customValues?: number[]|null;
                      startTimestamp?: number|null;
                      $unknowns?: Uint8Array[];
                    } & (
                      ({ count?: undefined; countInt?: null; countFloat?: null }|{ count?: "countInt"; countInt: number; countFloat?: null }|{ count?: "countFloat"; countInt?: null; countFloat: number })
                    ) & (
                      ({ zeroCount?: undefined; zeroCountInt?: null; zeroCountFloat?: null }|{ zeroCount?: "zeroCountInt"; zeroCountInt: number; zeroCountFloat?: null }|{ zeroCount?: "zeroCountFloat"; zeroCountInt?: null; zeroCountFloat: number })
                    );

                    /** ResetHint enum. */
                    enum ResetHint {

                        /** RESET_HINT_UNSPECIFIED value */
                        RESET_HINT_UNSPECIFIED = 0,

                        /** RESET_HINT_YES value */
                        RESET_HINT_YES = 1,

                        /** RESET_HINT_NO value */
                        RESET_HINT_NO = 2,

                        /** RESET_HINT_GAUGE value */
                        RESET_HINT_GAUGE = 3
                    }
                }

                /**
                 * Properties of a BucketSpan.
                 * @deprecated Use io.prometheus.write.v2.BucketSpan.$Properties instead.
                 */
                interface IBucketSpan extends io.prometheus.write.v2.BucketSpan.$Properties {
                }

                /** Represents a BucketSpan. */
                class BucketSpan {

                    /**
                     * Constructs a new BucketSpan.
                     * @param [properties] Properties to set
                     */
                    constructor(properties?: io.prometheus.write.v2.BucketSpan.$Properties);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];

                    /** BucketSpan offset. */
                    offset: number;

                    /** BucketSpan length. */
                    length: number;

                    /**
                     * Creates a new BucketSpan instance using the specified properties.
                     * @param [properties] Properties to set
                     * @returns BucketSpan instance
                     */
                    static create(properties: io.prometheus.write.v2.BucketSpan.$Shape): io.prometheus.write.v2.BucketSpan & io.prometheus.write.v2.BucketSpan.$Shape;
                    static create(properties?: io.prometheus.write.v2.BucketSpan.$Properties): io.prometheus.write.v2.BucketSpan;

                    /**
                     * Encodes the specified BucketSpan message. Does not implicitly {@link io.prometheus.write.v2.BucketSpan.verify|verify} messages.
                     * @param message BucketSpan message or plain object to encode
                     * @param [writer] Writer to encode to
                     * @returns Writer
                     */
                    static encode(message: io.prometheus.write.v2.BucketSpan.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                    /**
                     * Decodes a BucketSpan message from the specified reader or buffer.
                     * @param reader Reader or buffer to decode from
                     * @param [length] Message length if known beforehand
                     * @returns {io.prometheus.write.v2.BucketSpan & io.prometheus.write.v2.BucketSpan.$Shape} BucketSpan
                     * @throws {Error} If the payload is not a reader or valid buffer
                     * @throws {$protobuf.util.ProtocolError} If required fields are missing
                     */
                    static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): io.prometheus.write.v2.BucketSpan & io.prometheus.write.v2.BucketSpan.$Shape;

                    /**
                     * Creates a BucketSpan message from a plain object. Also converts values to their respective internal types.
                     * @param object Plain object
                     * @returns BucketSpan
                     */
                    static fromObject(object: { [k: string]: any }): io.prometheus.write.v2.BucketSpan;

                    /**
                     * Creates a plain object from a BucketSpan message. Also converts values to other types if specified.
                     * @param message BucketSpan
                     * @param [options] Conversion options
                     * @returns Plain object
                     */
                    static toObject(message: io.prometheus.write.v2.BucketSpan, options?: $protobuf.IConversionOptions): { [k: string]: any };

                    /**
                     * Converts this BucketSpan to JSON.
                     * @returns JSON object
                     */
                    toJSON(): { [k: string]: any };
                }

                namespace BucketSpan {

                    /** Properties of a BucketSpan. */
                    interface $Properties {

                        /** BucketSpan offset */
                        offset?: (number|null);

                        /** BucketSpan length */
                        length?: (number|null);

                        /** Unknown fields preserved while decoding when enabled */
                        $unknowns?: Uint8Array[];
                    }

                    /** Shape of a BucketSpan. */
                    type $Shape = io.prometheus.write.v2.BucketSpan.$Properties;
                }
            }
        }
    }
}
