namespace Poolhouse.Benchmarks.Bars;

/// <summary>What pooled streams promise beside MemoryStream.</summary>
internal static class StreamBars
{
    private const string Rival = "MemoryStream";
    private const double ShareOfBytes = 0.05;

    // From here on MemoryStream copies itself larger several times, into the heap of large objects.
    private const double LongLimit = 0.6;
    private const double Limit = 1;
    private const double KnownLimit = 1.1;
    private const double SingleLimit = 1.3;

    public static IReadOnlyList<Bar> All { get; } =
    [
        .. Both<Bytes100>("100 B", Limit),
        .. Both<KiB1>("1 KiB", Limit),
        .. Both<KiB4>("4 KiB", Limit),
        .. Both<KiB16>("16 KiB", Limit),
        .. Both<KiB64>("64 KiB", Limit),
        .. Both<KiB256>("256 KiB", LongLimit),
        .. Both<MiB1>("1 MiB", LongLimit),
        .. Both<MiB8>("8 MiB", LongLimit),
        Known<Bytes100>("100 B"),
        Known<KiB4>("4 KiB"),
        Known<KiB64>("64 KiB"),
        Known<MiB1>("1 MiB"),
        Single<KiB1>("1 KiB"),
        Single<KiB64>("64 KiB"),
        Bar.Of<SmallWritesOfPooled<KiB64>, SmallWritesOfMemory<KiB64>>("stream 64 KiB, 6 bytes a write", Rival, null) with
        {
            BytesAllowed = Share<SmallWritesOfMemory<KiB64>>,
        },
    ];

    /// <summary>By Rent, which makes the one small object, and by RentLease, which makes none.</summary>
    private static IReadOnlyList<Bar> Both<TLength>(string length, double limit)
        where TLength : struct, IStreamLength =>
    [
        Bar.Of<RentedStream<TLength>, MemoryStreams<TLength>>($"stream {length}", Rival, limit) with
        {
            BytesAllowed = Share<MemoryStreams<TLength>>,
        },
        Bar.Of<LeasedStream<TLength>, MemoryStreams<TLength>>($"stream {length}, leased", Rival, limit),
    ];

    private static Bar Known<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<RentedStreamOfKnownLength<TLength>, MemoryStreamsOfKnownLength<TLength>>(
            $"stream {length}, length known", Rival, KnownLimit) with
        {
            BytesAllowed = Share<MemoryStreamsOfKnownLength<TLength>>,
        };

    private static Bar Single<TLength>(string length)
        where TLength : struct, IStreamLength =>
        Bar.Of<WriteByteOfPooled<TLength>, WriteByteOfMemory<TLength>>($"stream {length} by WriteByte", Rival, SingleLimit) with
        {
            BytesAllowed = Share<WriteByteOfMemory<TLength>>,
        };

    private static double Share<TRival>()
        where TRival : struct, IOperation => ShareOfBytes * Timing.BytesPerPair<TRival>();
}
