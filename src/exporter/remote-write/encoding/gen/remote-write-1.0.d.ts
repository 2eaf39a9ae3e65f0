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
        type $Shape = prometheus.WriteRequest.$Properties;
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

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a TimeSeries. */
        type $Shape = prometheus.TimeSeries.$Properties;
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
}
