namespace Poolhouse.Benchmarks.Bars;

/// <summary>What pooled streams promise beside MemoryStream and RecyclableMemoryStream.</summary>
internal static class StreamBars
{
    private const string Rival = "MemoryStream";
    private const string Recyclable = "RecyclableMemoryStream";

    // The stream object, which Rent creates so that no other caller gets it.
    private const double BytesOfRent = 32;

    // From here on MemoryStream copies itself larger several times, in the end into the heap of large objects.
    private const double LongLimit = 0.6;
    private const double Limit = 0.85;
    private const double KnownLimit = 1.1;
    private const double SingleLimit = 1.3;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Written<Bytes100>("100 B", Limit),
        Written<KiB1>("1 KiB", Limit),
        Written<KiB4>("4 KiB", Limit),
        Written<KiB16>("16 KiB", LongLimit),
        Written<KiB64>("64 KiB", LongLimit),
        Written<KiB256>("256 KiB", LongLimit),
        Written<MiB1>("1 MiB", LongLimit),
        Written<MiB8>("8 MiB", LongLimit),
        Known<Bytes100>("100 B"),
        Known<KiB4>("4 KiB"),
        Known<KiB64>("64 KiB"),
        Known<MiB1>("1 MiB"),
        Single<KiB1>("1 KiB"),
        Single<KiB64>("64 KiB"),
        Bar.Of<SmallWritesOfPooled<KiB64>, SmallWritesOfMemory<KiB64>>("stream 64 KiB, 6 bytes a write", Rival, null) with
        {
            BytesAllowed = AllowRent,
        },
        .. Recyclables<Bytes100>("100 B"),
        .. Recyclables<KiB1>("1 KiB"),
        .. Recyclables<KiB4>("4 KiB"),
        .. Recyclables<KiB16>("16 KiB"),
        .. Recyclables<KiB64>("64 KiB"),
        .. Recyclables<KiB256>("256 KiB"),
        .. Recyclables<MiB1>("1 MiB"),
        .. Recyclables<MiB8>("8 MiB"),
        Alive<KiB1>("1 KiB"),
        Alive<KiB16>("16 KiB"),
        Alive<KiB64>("64 KiB"),
        Alive<KiB256>("256 KiB"),
        OnTwoThreads<KiB1>("1 KiB"),
        OnTwoThreads<KiB16>("16 KiB"),
        OnTwoThreads<KiB64>("64 KiB"),
        OnTwoThreads<MiB1>("1 MiB"),
        First<KiB1>("1 KiB"),
        First<KiB64>("64 KiB"),
        First<MiB1>("1 MiB"),
    ];

    private static IReadOnlyList<Bar> Recyclables<TLength>(string length)
        where TLength : struct, IStreamLength =>
    [
        Bar.Of<RentedStream<TLength>, RecyclableStream<TLength>>($"stream {length}", Recyclable, 1) with
        {
            BytesAllowed = AllowRent,
        },
        Bar.Of<RentedStreamByTag<TLength>, RecyclableStreamByTag<TLength>>($"stream {length}, GetStream", Recyclable, 1) with
        {
            BytesAllowed = AllowRent,
        },
        Bar.Of<RentedStreamByOneWrite<TLength>, RecyclableStreamByOneWrite<TLength>>(
            $"stream {length}, one write", Recyclable, 1) with
        {
            BytesAllowed = AllowRent,
        },
        Bar.Of<RentedStreamBySpans<TLength>, RecyclableStreamBySpans<TLength>>($"stream {length}, GetSpan", Recyclable, 1) with
        {
            BytesAllowed = AllowRent,
        },
    ];

    private static Bar Alive<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<RentedStreamsAlive<TLength>, RecyclableStreamsAlive<TLength>>($"stream {length}, 64 alive", Recyclable, 1) with
        {
            BytesAllowed = AllowRent,
        };

    private static Bar OnTwoThreads<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<RentedStream<TLength>, RecyclableStream<TLength>>($"stream {length}, 2 threads", Recyclable, 1, threads: 2);

    // What a new pool allocates is not promised, only its time.
    private static Bar First<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<FirstRentedStream<TLength>, FirstRecyclableStream<TLength>>($"stream {length}, new pool", Recyclable, 1) with
        {
            BytesOfOurs = null,
        };

    private static Bar Written<TLength>(string length, double limit)
        where TLength : struct, IStreamLength =>
        Bar.Of<RentedStream<TLength>, MemoryStreams<TLength>>($"stream {length}", Rival, limit) with
        {
            BytesAllowed = AllowRent,
        };

    private static Bar Known<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<RentedStreamOfKnownLength<TLength>, MemoryStreamsOfKnownLength<TLength>>(
            $"stream {length}, length known", Rival, KnownLimit) with
        {
            BytesAllowed = AllowRent,
        };

    private static Bar Single<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<WriteByteOfPooled<TLength>, WriteByteOfMemory<TLength>>($"stream {length} by WriteByte", Rival, SingleLimit) with
        {
            BytesAllowed = AllowRent,
        };

    private static double AllowRent() => BytesOfRent;
}
