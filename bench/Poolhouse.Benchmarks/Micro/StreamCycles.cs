using BenchmarkDotNet.Attributes;
using Poolhouse.Benchmarks.Bars;

namespace Poolhouse.Benchmarks.Micro;

/// <summary>A stream written in chunks of 4 KiB, rewound, read and disposed.</summary>
[MemoryDiagnoser]
public class StreamCycles
{
    /// <summary>The length of the stream.</summary>
    [Params(100, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20)]
    public int Length { get; set; }

    /// <summary>The rival.</summary>
    [Benchmark(Baseline = true)]
    public long Memory()
    {
        using var stream = new MemoryStream();
        return StreamUse.WriteAndRead(stream, Length);
    }

    /// <summary>The rival, with the length known.</summary>
    [Benchmark]
    public long MemoryOfKnownLength()
    {
        using var stream = new MemoryStream(Length);
        return StreamUse.WriteAndRead(stream, Length);
    }

    /// <summary>Ours.</summary>
    [Benchmark]
    public long Rented()
    {
        using var stream = StreamPool.Shared.Rent();
        return StreamUse.WriteAndRead(stream, Length);
    }

    /// <summary>Poolhouse, with the length known.</summary>
    [Benchmark]
    public long RentedOfKnownLength()
    {
        using var stream = StreamPool.Shared.Rent(sizeHint: Length);
        return StreamUse.WriteAndRead(stream, Length);
    }
}
