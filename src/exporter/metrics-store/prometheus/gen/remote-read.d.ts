import * as $protobuf from "protobufjs/minimal.js";

/** Namespace prometheus. */
export namespace prometheus {

    /**
     * Properties of a ReadRequest.
     * @deprecated Use prometheus.ReadRequest.$Properties instead.
     */
    interface IReadRequest extends prometheus.ReadRequest.$Properties {
    }

    /** Represents a ReadRequest. */
    class ReadRequest {

        /**
         * Constructs a new ReadRequest.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.ReadRequest.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ReadRequest queries. */
        queries: prometheus.Query.$Properties[];

        /** ReadRequest acceptedResponseTypes. */
        acceptedResponseTypes: prometheus.ReadRequest.ResponseType[];

        /**
         * Creates a new ReadRequest instance using the specified properties.
         * @param [properties] Properties to set
         * @returns ReadRequest instance
         */
        static create(properties: prometheus.ReadRequest.$Shape): prometheus.ReadRequest & prometheus.ReadRequest.$Shape;
        static create(properties?: prometheus.ReadRequest.$Properties): prometheus.ReadRequest;

        /**
         * Encodes the specified ReadRequest message. Does not implicitly {@link prometheus.ReadRequest.verify|verify} messages.
         * @param message ReadRequest message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.ReadRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ReadRequest message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.ReadRequest & prometheus.ReadRequest.$Shape} ReadRequest
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.ReadRequest & prometheus.ReadRequest.$Shape;

        /**
         * Creates a ReadRequest message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns ReadRequest
         */
        static fromObject(object: { [k: string]: any }): prometheus.ReadRequest;

        /**
         * Creates a plain object from a ReadRequest message. Also converts values to other types if specified.
         * @param message ReadRequest
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.ReadRequest, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this ReadRequest to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace ReadRequest {

        /** Properties of a ReadRequest. */
        interface $Properties {

            /** ReadRequest queries */
            queries?: (prometheus.Query.$Properties[]|null);

            /** ReadRequest acceptedResponseTypes */
            acceptedResponseTypes?: (prometheus.ReadRequest.ResponseType[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ReadRequest. */
        type $Shape = prometheus.ReadRequest.$Properties;

        /** ResponseType enum. */
        enum ResponseType {

            /** SAMPLES value */
            SAMPLES = 0,

            /** STREAMED_XOR_CHUNKS value */
            STREAMED_XOR_CHUNKS = 1
        }
    }

    /**
     * Properties of a ReadResponse.
     * @deprecated Use prometheus.ReadResponse.$Properties instead.
     */
    interface IReadResponse extends prometheus.ReadResponse.$Properties {
    }

    /** Represents a ReadResponse. */
    class ReadResponse {

        /**
         * Constructs a new ReadResponse.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.ReadResponse.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ReadResponse results. */
        results: prometheus.QueryResult.$Properties[];

        /**
         * Creates a new ReadResponse instance using the specified properties.
         * @param [properties] Properties to set
         * @returns ReadResponse instance
         */
        static create(properties: prometheus.ReadResponse.$Shape): prometheus.ReadResponse & prometheus.ReadResponse.$Shape;
        static create(properties?: prometheus.ReadResponse.$Properties): prometheus.ReadResponse;

        /**
         * Encodes the specified ReadResponse message. Does not implicitly {@link prometheus.ReadResponse.verify|verify} messages.
         * @param message ReadResponse message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.ReadResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ReadResponse message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.ReadResponse & prometheus.ReadResponse.$Shape} ReadResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.ReadResponse & prometheus.ReadResponse.$Shape;

        /**
         * Creates a ReadResponse message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns ReadResponse
         */
        static fromObject(object: { [k: string]: any }): prometheus.ReadResponse;

        /**
         * Creates a plain object from a ReadResponse message. Also converts values to other types if specified.
         * @param message ReadResponse
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.ReadResponse, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this ReadResponse to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace ReadResponse {

        /** Properties of a ReadResponse. */
        interface $Properties {

            /** ReadResponse results */
            results?: (prometheus.QueryResult.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ReadResponse. */
        type $Shape = {
          results?: prometheus.QueryResult.$Shape[]|null;
          $unknowns?: Uint8Array[];
        };
    }

    /**
     * Properties of a Query.
     * @deprecated Use prometheus.Query.$Properties instead.
     */
    interface IQuery extends prometheus.Query.$Properties {
    }

    /** Represents a Query. */
    class Query {

        /**
         * Constructs a new Query.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Query.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Query startTimestampMs. */
        startTimestampMs: number;

        /** Query endTimestampMs. */
        endTimestampMs: number;

        /** Query matchers. */
        matchers: prometheus.LabelMatcher.$Properties[];

        /**
         * Creates a new Query instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Query instance
         */
        static create(properties: prometheus.Query.$Shape): prometheus.Query & prometheus.Query.$Shape;
        static create(properties?: prometheus.Query.$Properties): prometheus.Query;

        /**
         * Encodes the specified Query message. Does not implicitly {@link prometheus.Query.verify|verify} messages.
         * @param message Query message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Query.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Query message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Query & prometheus.Query.$Shape} Query
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Query & prometheus.Query.$Shape;

        /**
         * Creates a Query message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Query
         */
        static fromObject(object: { [k: string]: any }): prometheus.Query;

        /**
         * Creates a plain object from a Query message. Also converts values to other types if specified.
         * @param message Query
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Query, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Query to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Query {

        /** Properties of a Query. */
        interface $Properties {

            /** Query startTimestampMs */
            startTimestampMs?: (number|null);

            /** Query endTimestampMs */
            endTimestampMs?: (number|null);

            /** Query matchers */
            matchers?: (prometheus.LabelMatcher.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Query. */
        type $Shape = prometheus.Query.$Properties;
    }

    /**
     * Properties of a QueryResult.
     * @deprecated Use prometheus.QueryResult.$Properties instead.
     */
    interface IQueryResult extends prometheus.QueryResult.$Properties {
    }

    /** Represents a QueryResult. */
    class QueryResult {

        /**
         * Constructs a new QueryResult.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.QueryResult.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** QueryResult timeseries. */
        timeseries: prometheus.TimeSeries.$Properties[];

        /**
         * Creates a new QueryResult instance using the specified properties.
         * @param [properties] Properties to set
         * @returns QueryResult instance
         */
        static create(properties: prometheus.QueryResult.$Shape): prometheus.QueryResult & prometheus.QueryResult.$Shape;
        static create(properties?: prometheus.QueryResult.$Properties): prometheus.QueryResult;

        /**
         * Encodes the specified QueryResult message. Does not implicitly {@link prometheus.QueryResult.verify|verify} messages.
         * @param message QueryResult message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.QueryResult.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a QueryResult message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.QueryResult & prometheus.QueryResult.$Shape} QueryResult
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.QueryResult & prometheus.QueryResult.$Shape;

        /**
         * Creates a QueryResult message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns QueryResult
         */
        static fromObject(object: { [k: string]: any }): prometheus.QueryResult;

        /**
         * Creates a plain object from a QueryResult message. Also converts values to other types if specified.
         * @param message QueryResult
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.QueryResult, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this QueryResult to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace QueryResult {

        /** Properties of a QueryResult. */
        interface $Properties {

            /** QueryResult timeseries */
            timeseries?: (prometheus.TimeSeries.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a QueryResult. */
        type $Shape = {
          timeseries?: prometheus.TimeSeries.$Shape[]|null;
          $unknowns?: Uint8Array[];
        };
    }

    /**
     * Properties of a ChunkedReadResponse.
     * @deprecated Use prometheus.ChunkedReadResponse.$Properties instead.
     */
    interface IChunkedReadResponse extends prometheus.ChunkedReadResponse.$Properties {
    }

    /** Represents a ChunkedReadResponse. */
    class ChunkedReadResponse {

        /**
         * Constructs a new ChunkedReadResponse.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.ChunkedReadResponse.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ChunkedReadResponse chunkedSeries. */
        chunkedSeries: prometheus.ChunkedSeries.$Properties[];

        /** ChunkedReadResponse queryIndex. */
        queryIndex: number;

        /**
         * Creates a new ChunkedReadResponse instance using the specified properties.
         * @param [properties] Properties to set
         * @returns ChunkedReadResponse instance
         */
        static create(properties: prometheus.ChunkedReadResponse.$Shape): prometheus.ChunkedReadResponse & prometheus.ChunkedReadResponse.$Shape;
        static create(properties?: prometheus.ChunkedReadResponse.$Properties): prometheus.ChunkedReadResponse;

        /**
         * Encodes the specified ChunkedReadResponse message. Does not implicitly {@link prometheus.ChunkedReadResponse.verify|verify} messages.
         * @param message ChunkedReadResponse message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.ChunkedReadResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ChunkedReadResponse message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.ChunkedReadResponse & prometheus.ChunkedReadResponse.$Shape} ChunkedReadResponse
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.ChunkedReadResponse & prometheus.ChunkedReadResponse.$Shape;

        /**
         * Creates a ChunkedReadResponse message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns ChunkedReadResponse
         */
        static fromObject(object: { [k: string]: any }): prometheus.ChunkedReadResponse;

        /**
         * Creates a plain object from a ChunkedReadResponse message. Also converts values to other types if specified.
         * @param message ChunkedReadResponse
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.ChunkedReadResponse, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this ChunkedReadResponse to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace ChunkedReadResponse {

        /** Properties of a ChunkedReadResponse. */
        interface $Properties {

            /** ChunkedReadResponse chunkedSeries */
            chunkedSeries?: (prometheus.ChunkedSeries.$Properties[]|null);

            /** ChunkedReadResponse queryIndex */
            queryIndex?: (number|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ChunkedReadResponse. */
        type $Shape = prometheus.ChunkedReadResponse.$Properties;
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
     * Properties of a LabelMatcher.
     * @deprecated Use prometheus.LabelMatcher.$Properties instead.
     */
    interface ILabelMatcher extends prometheus.LabelMatcher.$Properties {
    }

    /** Represents a LabelMatcher. */
    class LabelMatcher {

        /**
         * Constructs a new LabelMatcher.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.LabelMatcher.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** LabelMatcher type. */
        type: prometheus.LabelMatcher.Type;

        /** LabelMatcher name. */
        name: string;

        /** LabelMatcher value. */
        value: string;

        /**
         * Creates a new LabelMatcher instance using the specified properties.
         * @param [properties] Properties to set
         * @returns LabelMatcher instance
         */
        static create(properties: prometheus.LabelMatcher.$Shape): prometheus.LabelMatcher & prometheus.LabelMatcher.$Shape;
        static create(properties?: prometheus.LabelMatcher.$Properties): prometheus.LabelMatcher;

        /**
         * Encodes the specified LabelMatcher message. Does not implicitly {@link prometheus.LabelMatcher.verify|verify} messages.
         * @param message LabelMatcher message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.LabelMatcher.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a LabelMatcher message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.LabelMatcher & prometheus.LabelMatcher.$Shape} LabelMatcher
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.LabelMatcher & prometheus.LabelMatcher.$Shape;

        /**
         * Creates a LabelMatcher message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns LabelMatcher
         */
        static fromObject(object: { [k: string]: any }): prometheus.LabelMatcher;

        /**
         * Creates a plain object from a LabelMatcher message. Also converts values to other types if specified.
         * @param message LabelMatcher
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.LabelMatcher, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this LabelMatcher to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace LabelMatcher {

        /** Properties of a LabelMatcher. */
        interface $Properties {

            /** LabelMatcher type */
            type?: (prometheus.LabelMatcher.Type|null);

            /** LabelMatcher name */
            name?: (string|null);

            /** LabelMatcher value */
            value?: (string|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a LabelMatcher. */
        type $Shape = prometheus.LabelMatcher.$Properties;

        /** Type enum. */
        enum Type {

            /** EQ value */
            EQ = 0,

            /** NEQ value */
            NEQ = 1,

            /** RE value */
            RE = 2,

            /** NRE value */
            NRE = 3
        }
    }

    /**
     * Properties of a Chunk.
     * @deprecated Use prometheus.Chunk.$Properties instead.
     */
    interface IChunk extends prometheus.Chunk.$Properties {
    }

    /** Represents a Chunk. */
    class Chunk {

        /**
         * Constructs a new Chunk.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.Chunk.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** Chunk minTimeMs. */
        minTimeMs: number;

        /** Chunk maxTimeMs. */
        maxTimeMs: number;

        /** Chunk type. */
        type: prometheus.Chunk.Encoding;

        /** Chunk data. */
        data: Uint8Array;

        /**
         * Creates a new Chunk instance using the specified properties.
         * @param [properties] Properties to set
         * @returns Chunk instance
         */
        static create(properties: prometheus.Chunk.$Shape): prometheus.Chunk & prometheus.Chunk.$Shape;
        static create(properties?: prometheus.Chunk.$Properties): prometheus.Chunk;

        /**
         * Encodes the specified Chunk message. Does not implicitly {@link prometheus.Chunk.verify|verify} messages.
         * @param message Chunk message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.Chunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a Chunk message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.Chunk & prometheus.Chunk.$Shape} Chunk
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.Chunk & prometheus.Chunk.$Shape;

        /**
         * Creates a Chunk message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns Chunk
         */
        static fromObject(object: { [k: string]: any }): prometheus.Chunk;

        /**
         * Creates a plain object from a Chunk message. Also converts values to other types if specified.
         * @param message Chunk
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.Chunk, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this Chunk to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace Chunk {

        /** Properties of a Chunk. */
        interface $Properties {

            /** Chunk minTimeMs */
            minTimeMs?: (number|null);

            /** Chunk maxTimeMs */
            maxTimeMs?: (number|null);

            /** Chunk type */
            type?: (prometheus.Chunk.Encoding|null);

            /** Chunk data */
            data?: (Uint8Array|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a Chunk. */
        type $Shape = prometheus.Chunk.$Properties;

        /** Encoding enum. */
        enum Encoding {

            /** UNKNOWN value */
            UNKNOWN = 0,

            /** XOR value */
            XOR = 1,

            /** HISTOGRAM value */
            HISTOGRAM = 2,

            /** FLOAT_HISTOGRAM value */
            FLOAT_HISTOGRAM = 3,

            /** XOR2 value */
            XOR2 = 4,

            /** HISTOGRAM_ST value */
            HISTOGRAM_ST = 5,

            /** FLOAT_HISTOGRAM_ST value */
            FLOAT_HISTOGRAM_ST = 6
        }
    }

    /**
     * Properties of a ChunkedSeries.
     * @deprecated Use prometheus.ChunkedSeries.$Properties instead.
     */
    interface IChunkedSeries extends prometheus.ChunkedSeries.$Properties {
    }

    /** Represents a ChunkedSeries. */
    class ChunkedSeries {

        /**
         * Constructs a new ChunkedSeries.
         * @param [properties] Properties to set
         */
        constructor(properties?: prometheus.ChunkedSeries.$Properties);

        /** Unknown fields preserved while decoding when enabled */
        $unknowns?: Uint8Array[];

        /** ChunkedSeries labels. */
        labels: prometheus.Label.$Properties[];

        /** ChunkedSeries chunks. */
        chunks: prometheus.Chunk.$Properties[];

        /**
         * Creates a new ChunkedSeries instance using the specified properties.
         * @param [properties] Properties to set
         * @returns ChunkedSeries instance
         */
        static create(properties: prometheus.ChunkedSeries.$Shape): prometheus.ChunkedSeries & prometheus.ChunkedSeries.$Shape;
        static create(properties?: prometheus.ChunkedSeries.$Properties): prometheus.ChunkedSeries;

        /**
         * Encodes the specified ChunkedSeries message. Does not implicitly {@link prometheus.ChunkedSeries.verify|verify} messages.
         * @param message ChunkedSeries message or plain object to encode
         * @param [writer] Writer to encode to
         * @returns Writer
         */
        static encode(message: prometheus.ChunkedSeries.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

        /**
         * Decodes a ChunkedSeries message from the specified reader or buffer.
         * @param reader Reader or buffer to decode from
         * @param [length] Message length if known beforehand
         * @returns {prometheus.ChunkedSeries & prometheus.ChunkedSeries.$Shape} ChunkedSeries
         * @throws {Error} If the payload is not a reader or valid buffer
         * @throws {$protobuf.util.ProtocolError} If required fields are missing
         */
        static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): prometheus.ChunkedSeries & prometheus.ChunkedSeries.$Shape;

        /**
         * Creates a ChunkedSeries message from a plain object. Also converts values to their respective internal types.
         * @param object Plain object
         * @returns ChunkedSeries
         */
        static fromObject(object: { [k: string]: any }): prometheus.ChunkedSeries;

        /**
         * Creates a plain object from a ChunkedSeries message. Also converts values to other types if specified.
         * @param message ChunkedSeries
         * @param [options] Conversion options
         * @returns Plain object
         */
        static toObject(message: prometheus.ChunkedSeries, options?: $protobuf.IConversionOptions): { [k: string]: any };

        /**
         * Converts this ChunkedSeries to JSON.
         * @returns JSON object
         */
        toJSON(): { [k: string]: any };
    }

    namespace ChunkedSeries {

        /** Properties of a ChunkedSeries. */
        interface $Properties {

            /** ChunkedSeries labels */
            labels?: (prometheus.Label.$Properties[]|null);

            /** ChunkedSeries chunks */
            chunks?: (prometheus.Chunk.$Properties[]|null);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];
        }

        /** Shape of a ChunkedSeries. */
        type $Shape = prometheus.ChunkedSeries.$Properties;
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
