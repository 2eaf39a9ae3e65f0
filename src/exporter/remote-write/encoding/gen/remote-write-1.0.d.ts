import * as $protobuf from "protobufjs/minimal.js";

/** Namespace prometheus. */
export namespace prometheus {

    /**
     * Properties of a WriteRequest.
     * @deprecated Use prometheus.WriteRequest.$Properties instead.
     */
    interface IWriteRequest extends prometheus.WriteRequest.$Properties {
    }

    /** Represents a WriteRequest. */
    class WriteRequest {

        /**
         * Constructs a new WriteRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.WriteRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** WriteRequest timeseries. */
        timeseries: prometheus.TimeSeries.$Properties[];

        /** WriteRequest metadata. */
        metadata: prometheus.MetricMetadata.$Properties[];

        /**
         * Creates a new WriteRequest instance using the specified properties.
         * @param [properties] Properties to set
         * @returns WriteRequest instance
         */
        static create(properties: prometheus.WriteRequest.$Shape): prometheus.WriteRequest & prometheus.WriteRequest.$Shape;
        static create(properties?: prometheus.WriteRequest.$Properties): prometheus.WriteRequest;

        /**
         * Encodes the specified WriteRequest message. Does not implicitly {@link prometheus.WriteRequest.verify|verify} messages.
         * @param message WriteRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.WriteRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a WriteRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.WriteRequest & prometheus.WriteRequest.$Shape} WriteRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.WriteRequest & prometheus.WriteRequest.$Shape;

        /**
         * Creates a WriteRequest message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns WriteRequest
         */
        static fromObject(object: { [k: string]: any }): prometheus.WriteRequest;

        /**
         * Creates a plain object from a WriteRequest message. Also converts values to other types if specified.
         * @param message WriteRequest
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.WriteRequest, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this WriteRequest to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace WriteRequest {

        /** Properties of a WriteRequest. */
        interface $Properties {

            /** WriteRequest timeseries */
            timeseries?: (prometheus.TimeSeries.$Properties[]|null);

            /** WriteRequest metadata */
            metadata?: (prometheus.MetricMetadata.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a WriteRequest. */
        type $Shape = {
          timeseries?: prometheus.TimeSeries.$Shape[]|null;
          metadata?: prometheus.MetricMetadata.$Shape[]|null;
          $unknowns?: Uint8Array[];
        };
    }

    /**
     * Properties of a MetricMetadata.
     * @deprecated Use prometheus.MetricMetadata.$Properties instead.
     */
    interface IMetricMetadata extends prometheus.MetricMetadata.$Properties {
    }

    /** Represents a MetricMetadata. */
    class MetricMetadata {

        /**
         * Constructs a new MetricMetadata.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.MetricMetadata.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** MetricMetadata type. */
        type: prometheus.MetricMetadata.MetricType;

        /** MetricMetadata metricFamilyName. */
        metricFamilyName: string;

        /** MetricMetadata help. */
        help: string;

        /** MetricMetadata unit. */
        unit: string;

        /**
         * Creates a new MetricMetadata instance using the specified properties.
         * @param [properties] Properties to set
         * @returns MetricMetadata instance
         */
        static create(properties: prometheus.MetricMetadata.$Shape): prometheus.MetricMetadata & prometheus.MetricMetadata.$Shape;
        static create(properties?: prometheus.MetricMetadata.$Properties): prometheus.MetricMetadata;

        /**
         * Encodes the specified MetricMetadata message. Does not implicitly {@link prometheus.MetricMetadata.verify|verify} messages.
         * @param message MetricMetadata message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.MetricMetadata.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a MetricMetadata message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.MetricMetadata & prometheus.MetricMetadata.$Shape} MetricMetadata
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.MetricMetadata & prometheus.MetricMetadata.$Shape;

        /**
         * Creates a MetricMetadata message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns MetricMetadata
         */
        static fromObject(object: { [k: string]: any }): prometheus.MetricMetadata;

        /**
         * Creates a plain object from a MetricMetadata message. Also converts values to other types if specified.
         * @param message MetricMetadata
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.MetricMetadata, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this MetricMetadata to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace MetricMetadata {

        /** Properties of a MetricMetadata. */
        interface $Properties {

            /** MetricMetadata type */
            type?: (prometheus.MetricMetadata.MetricType|null);

            /** MetricMetadata metricFamilyName */
            metricFamilyName?: (string|null);

            /** MetricMetadata help */
            help?: (string|null);

            /** MetricMetadata unit */
            unit?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a MetricMetadata. */
        type $Shape = prometheus.MetricMetadata.$Properties;

        /** MetricType enum. */
        enum MetricType {

            /** UNKNOWN value */
            UNKNOWN = 0,

            /** COUNTER value */
            COUNTER = 1,

            /** GAUGE value */
            GAUGE = 2,

            /** HISTOGRAM value */
            HISTOGRAM = 3,

            /** GAUGEHISTOGRAM value */
            GAUGEHISTOGRAM = 4,

            /** SUMMARY value */
            SUMMARY = 5,

            /** INFO value */
            INFO = 6,

            /** STATESET value */
            STATESET = 7
        }
    }

    /**
     * Properties of a TimeSeries.
     * @deprecated Use prometheus.TimeSeries.$Properties instead.
     */
    interface ITimeSeries extends prometheus.TimeSeries.$Properties {
    }

    /** Represents a TimeSeries. */
    class TimeSeries {

        /**
         * Constructs a new TimeSeries.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.TimeSeries.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** TimeSeries labels. */
        labels: prometheus.Label.$Properties[];

        /** TimeSeries samples. */
        samples: prometheus.Sample.$Properties[];

        /** TimeSeries exemplars. */
        exemplars: prometheus.Exemplar.$Properties[];

        /** TimeSeries histograms. */
        histograms: prometheus.Histogram.$Properties[];

        /**
         * Creates a new TimeSeries instance using the specified properties.
         * @param [properties] Properties to set
         * @returns TimeSeries instance
         */
        static create(properties: prometheus.TimeSeries.$Shape): prometheus.TimeSeries & prometheus.TimeSeries.$Shape;
        static create(properties?: prometheus.TimeSeries.$Properties): prometheus.TimeSeries;

        /**
         * Encodes the specified TimeSeries message. Does not implicitly {@link prometheus.TimeSeries.verify|verify} messages.
         * @param message TimeSeries message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.TimeSeries.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a TimeSeries message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.TimeSeries & prometheus.TimeSeries.$Shape} TimeSeries
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.TimeSeries & prometheus.TimeSeries.$Shape;

        /**
         * Creates a TimeSeries message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns TimeSeries
         */
        static fromObject(object: { [k: string]: any }): prometheus.TimeSeries;

        /**
         * Creates a plain object from a TimeSeries message. Also converts values to other types if specified.
         * @param message TimeSeries
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.TimeSeries, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this TimeSeries to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace TimeSeries {

        /** Properties of a TimeSeries. */
        interface $Properties {

            /** TimeSeries labels */
            labels?: (prometheus.Label.$Properties[]|null);

            /** TimeSeries samples */
            samples?: (prometheus.Sample.$Properties[]|null);

            /** TimeSeries exemplars */
            exemplars?: (prometheus.Exemplar.$Properties[]|null);

            /** TimeSeries histograms */
            histograms?: (prometheus.Histogram.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a TimeSeries. */
        type $Shape = {
          labels?: prometheus.Label.$Shape[]|null;
          samples?: prometheus.Sample.$Shape[]|null;
          exemplars?: prometheus.Exemplar.$Shape[]|null;
          histograms?: prometheus.Histogram.$Shape[]|null;
          $unknowns?: Uint8Array[];
        };
    }

    /**
     * Properties of a Label.
     * @deprecated Use prometheus.Label.$Properties instead.
     */
    interface ILabel extends prometheus.Label.$Properties {
    }

    /** Represents a Label. */
    class Label {

        /**
         * Constructs a new Label.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Label.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Label name. */
        name: string;

        /** Label value. */
        value: string;

        /**
         * Creates a new Label instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Label instance
         */
        static create(properties: prometheus.Label.$Shape): prometheus.Label & prometheus.Label.$Shape;
        static create(properties?: prometheus.Label.$Properties): prometheus.Label;

        /**
         * Encodes the specified Label message. Does not implicitly {@link prometheus.Label.verify|verify} messages.
         * @param message Label message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Label.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Label message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Label & prometheus.Label.$Shape} Label
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Label & prometheus.Label.$Shape;

        /**
         * Creates a Label message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Label
         */
        static fromObject(object: { [k: string]: any }): prometheus.Label;

        /**
         * Creates a plain object from a Label message. Also converts values to other types if specified.
         * @param message Label
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Label, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Label to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Label {

        /** Properties of a Label. */
        interface $Properties {

            /** Label name */
            name?: (string|null);

            /** Label value */
            value?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Label. */
        type $Shape = prometheus.Label.$Properties;
    }

    /**
     * Properties of a Sample.
     * @deprecated Use prometheus.Sample.$Properties instead.
     */
    interface ISample extends prometheus.Sample.$Properties {
    }

    /** Represents a Sample. */
    class Sample {

        /**
         * Constructs a new Sample.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Sample.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Sample value. */
        value: number;

        /** Sample timestamp. */
        timestamp: number;

        /**
         * Creates a new Sample instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Sample instance
         */
        static create(properties: prometheus.Sample.$Shape): prometheus.Sample & prometheus.Sample.$Shape;
        static create(properties?: prometheus.Sample.$Properties): prometheus.Sample;

        /**
         * Encodes the specified Sample message. Does not implicitly {@link prometheus.Sample.verify|verify} messages.
         * @param message Sample message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Sample.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Sample message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Sample & prometheus.Sample.$Shape} Sample
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Sample & prometheus.Sample.$Shape;

        /**
         * Creates a Sample message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Sample
         */
        static fromObject(object: { [k: string]: any }): prometheus.Sample;

        /**
         * Creates a plain object from a Sample message. Also converts values to other types if specified.
         * @param message Sample
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Sample, options?: $protobuf.IConversionOptions): { [k: string]: any };

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

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Sample. */
        type $Shape = prometheus.Sample.$Properties;
    }

    /**
     * Properties of an Exemplar.
     * @deprecated Use prometheus.Exemplar.$Properties instead.
     */
    interface IExemplar extends prometheus.Exemplar.$Properties {
    }

    /** Represents an Exemplar. */
    class Exemplar {

        /**
         * Constructs a new Exemplar.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Exemplar.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Exemplar labels. */
        labels: prometheus.Label.$Properties[];

        /** Exemplar value. */
        value: number;

        /** Exemplar timestamp. */
        timestamp: number;

        /**
         * Creates a new Exemplar instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Exemplar instance
         */
        static create(properties: prometheus.Exemplar.$Shape): prometheus.Exemplar & prometheus.Exemplar.$Shape;
        static create(properties?: prometheus.Exemplar.$Properties): prometheus.Exemplar;

        /**
         * Encodes the specified Exemplar message. Does not implicitly {@link prometheus.Exemplar.verify|verify} messages.
         * @param message Exemplar message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Exemplar.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes an Exemplar message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Exemplar & prometheus.Exemplar.$Shape} Exemplar
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Exemplar & prometheus.Exemplar.$Shape;

        /**
         * Creates an Exemplar message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Exemplar
         */
        static fromObject(object: { [k: string]: any }): prometheus.Exemplar;

        /**
         * Creates a plain object from an Exemplar message. Also converts values to other types if specified.
         * @param message Exemplar
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Exemplar, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Exemplar to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Exemplar {

        /** Properties of an Exemplar. */
        interface $Properties {

            /** Exemplar labels */
            labels?: (prometheus.Label.$Properties[]|null);

            /** Exemplar value */
            value?: (number|null);

            /** Exemplar timestamp */
            timestamp?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of an Exemplar. */
        type $Shape = prometheus.Exemplar.$Properties;
    }

    /**
     * Properties of a Histogram.
     * @deprecated Use prometheus.Histogram.$Properties instead.
     */
    interface IHistogram extends prometheus.Histogram.$Properties {
    }

    /** Represents a Histogram. */
    class Histogram {

        /**
         * Constructs a new Histogram.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Histogram.$Properties);

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
        negativeSpans: prometheus.BucketSpan.$Properties[];

        /** Histogram negativeDeltas. */
        negativeDeltas: number[];

        /** Histogram negativeCounts. */
        negativeCounts: number[];

        /** Histogram positiveSpans. */
        positiveSpans: prometheus.BucketSpan.$Properties[];

        /** Histogram positiveDeltas. */
        positiveDeltas: number[];

        /** Histogram positiveCounts. */
        positiveCounts: number[];

        /** Histogram resetHint. */
        resetHint: prometheus.Histogram.ResetHint;

        /** Histogram timestamp. */
        timestamp: number;

        /** Histogram customValues. */
        customValues: number[];

        /** Histogram count. */
        count?: ("countInt"|"countFloat");

        /** Histogram zeroCount. */
        zeroCount?: ("zeroCountInt"|"zeroCountFloat");

        /**
         * Creates a new Histogram instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Histogram instance
         */
        static create(properties: prometheus.Histogram.$Shape): prometheus.Histogram & prometheus.Histogram.$Shape;
        static create(properties?: prometheus.Histogram.$Properties): prometheus.Histogram;

        /**
         * Encodes the specified Histogram message. Does not implicitly {@link prometheus.Histogram.verify|verify} messages.
         * @param message Histogram message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Histogram.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Histogram message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Histogram & prometheus.Histogram.$Shape} Histogram
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Histogram & prometheus.Histogram.$Shape;

        /**
         * Creates a Histogram message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Histogram
         */
        static fromObject(object: { [k: string]: any }): prometheus.Histogram;

        /**
         * Creates a plain object from a Histogram message. Also converts values to other types if specified.
         * @param message Histogram
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Histogram, options?: $protobuf.IConversionOptions): { [k: string]: any };

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
            negativeSpans?: (prometheus.BucketSpan.$Properties[]|null);

            /** Histogram negativeDeltas */
            negativeDeltas?: (number[]|null);

            /** Histogram negativeCounts */
            negativeCounts?: (number[]|null);

            /** Histogram positiveSpans */
            positiveSpans?: (prometheus.BucketSpan.$Properties[]|null);

            /** Histogram positiveDeltas */
            positiveDeltas?: (number[]|null);

            /** Histogram positiveCounts */
            positiveCounts?: (number[]|null);

            /** Histogram resetHint */
            resetHint?: (prometheus.Histogram.ResetHint|null);

            /** Histogram timestamp */
            timestamp?: (number|null);

            /** Histogram customValues */
            customValues?: (number[]|null);

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
          negativeSpans?: prometheus.BucketSpan.$Shape[]|null;
          negativeDeltas?: number[]|null;
          negativeCounts?: number[]|null;
          positiveSpans?: prometheus.BucketSpan.$Shape[]|null;
          positiveDeltas?: number[]|null;
          positiveCounts?: number[]|null;
          resetHint?: prometheus.Histogram.ResetHint|null;
          timestamp?: number|null;
          customValues?: number[]|null;
          $unknowns?: Uint8Array[];
        } & (
          ({ count?: undefined; countInt?: null; countFloat?: null }|{ count?: "countInt"; countInt: number; countFloat?: null }|{ count?: "countFloat"; countInt?: null; countFloat: number })
        ) & (
          ({ zeroCount?: undefined; zeroCountInt?: null; zeroCountFloat?: null }|{ zeroCount?: "zeroCountInt"; zeroCountInt: number; zeroCountFloat?: null }|{ zeroCount?: "zeroCountFloat"; zeroCountInt?: null; zeroCountFloat: number })
        );

        /** ResetHint enum. */
        enum ResetHint {

            /** UNKNOWN value */
            UNKNOWN = 0,

            /** YES value */
            YES = 1,

            /** NO value */
            NO = 2,

            /** GAUGE value */
            GAUGE = 3
        }
    }

    /**
     * Properties of a BucketSpan.
     * @deprecated Use prometheus.BucketSpan.$Properties instead.
     */
    interface IBucketSpan extends prometheus.BucketSpan.$Properties {
    }

    /** Represents a BucketSpan. */
    class BucketSpan {

        /**
         * Constructs a new BucketSpan.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.BucketSpan.$Properties);

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
        static create(properties: prometheus.BucketSpan.$Shape): prometheus.BucketSpan & prometheus.BucketSpan.$Shape;
        static create(properties?: prometheus.BucketSpan.$Properties): prometheus.BucketSpan;

        /**
         * Encodes the specified BucketSpan message. Does not implicitly {@link prometheus.BucketSpan.verify|verify} messages.
         * @param message BucketSpan message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.BucketSpan.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a BucketSpan message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.BucketSpan & prometheus.BucketSpan.$Shape} BucketSpan
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.BucketSpan & prometheus.BucketSpan.$Shape;

        /**
         * Creates a BucketSpan message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns BucketSpan
         */
        static fromObject(object: { [k: string]: any }): prometheus.BucketSpan;

        /**
         * Creates a plain object from a BucketSpan message. Also converts values to other types if specified.
         * @param message BucketSpan
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.BucketSpan, options?: $protobuf.IConversionOptions): { [k: string]: any };

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
        type $Shape = prometheus.BucketSpan.$Properties;
    }
}
