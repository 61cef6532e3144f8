using System.Globalization;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>
/// Random calls far apart on a pooled stream and on a sparse file, which must show the same. Up to 16 MiB; with
/// POOLHOUSE_LARGE_STREAMS=1 up to 3 GiB, past where <see cref="MemoryStream"/> ends, in at most 4 GiB of memory.
/// </summary>
[Collection(nameof(Alone))]
public sealed class LargeStreams : IDisposable
{
    private const string SeedVariable = "POOLHOUSE_SEED";
    private const string SizeVariable = "POOLHOUSE_LARGE_STREAMS";
    private const long MostMemory = 4L << 30;
    private const int Steps = 400;

    private static readonly bool _isLarge =
        string.Equals(Environment.GetEnvironmentVariable(SizeVariable), "1", StringComparison.Ordinal);

    private readonly long _longest = _isLarge ? 3L << 30 : 16L << 20;
    private readonly int _seed = int.TryParse(
            Environment.GetEnvironmentVariable(SeedVariable), CultureInfo.InvariantCulture, out var seed)
        ? seed
        : Random.Shared.Next();

    private readonly TieredArrayPool<byte> _arrays = Pools.Make<byte>(budget: 1L << 30);
    private readonly FileStream _file = new(
        Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()),
        new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.ReadWrite, Options = FileOptions.DeleteOnClose });

    private readonly byte[] _expected = new byte[100_000];
    private readonly byte[] _actual = new byte[100_000];

    [Fact]
    public void A_long_stream_behaves_like_a_sparse_file()
    {
        TestContext.Current.TestOutputHelper!.WriteLine($"To replay: {SeedVariable}={_seed}, up to {_longest:N0} bytes");
        var random = new Random(_seed);
        using var pool = StreamPools.Make(
            _arrays, StreamPoolOptions.DefaultFirstBlockSize, StreamPoolOptions.DefaultMaxBlockSize);
        using (var stream = pool.Rent())
        {
            for (var step = 0; step < Steps; step++)
            {
                Move(stream, random);
                Assert.Equal((_file.Length, _file.Position), (stream.Length, stream.Position));
                AssertSameBytes(stream, random.NextInt64(_file.Length + 1));
                AssertSameBytes(stream, Math.Max(0, _file.Position - 1000));
            }

            AssertSameAtTheLimits(stream);
            Assert.InRange(GC.GetTotalMemory(forceFullCollection: false), 0, MostMemory);
        }

        Assert.Equal(0, _arrays.AssertBalanced().Leased);
        Assert.InRange(_arrays.GetStatistics().RetainedBytes, 0, 1L << 30);
    }

    public void Dispose()
    {
        _file.Dispose();
        _arrays.Dispose();
    }

    private void Move(PooledStream stream, Random random)
    {
        switch (random.Next(8))
        {
            case 0:
                var length = Pick(random);
                _file.SetLength(length);
                stream.SetLength(length);
                break;
            case 1:
                var offset = Pick(random) - _file.Length;
                Assert.Equal(_file.Seek(offset, SeekOrigin.End), stream.Seek(offset, SeekOrigin.End));
                break;
            case 2:
                _file.Position = stream.Position = Pick(random);
                break;
            case 3:
                var count = random.Next(_expected.Length);
                Assert.Equal(ReadAll(_file, _expected.AsSpan(0, count)), stream.Read(_actual.AsSpan(0, count)));
                break;
            default:
                var room = _longest - Math.Min(_longest, _file.Position);
                var data = _expected.AsSpan(0, (int)Math.Min(random.Next(_expected.Length), room));
                random.NextBytes(data);
                if (data.Length > 0)
                {
                    // A file does not grow by a write of nothing past its end; a memory stream does.
                    _file.Write(data);
                    stream.Write(data);
                }

                break;
        }
    }

    /// <summary>Where something could be an int: near 2 GiB and 1 GiB, and at the ends.</summary>
    private long Pick(Random random) => Math.Clamp(
        random.Next(5) switch
        {
            0 => _longest - random.Next(200_000),
            1 => int.MaxValue + random.NextInt64(-100_000, 100_000),
            2 => random.Next(100_000),
            3 => Math.Max(0, _file.Length - random.Next(100_000)),
            _ => random.NextInt64(_longest),
        },
        0,
        _longest);

    private void AssertSameAtTheLimits(PooledStream stream)
    {
        _file.SetLength(_longest);
        stream.SetLength(_longest);
        foreach (var position in (long[])[0, _longest / 2, Math.Max(0, int.MaxValue - 50_000L), _longest - 50_000])
        {
            AssertSameBytes(stream, Math.Min(position, _longest));
        }

        Assert.Equal(_longest, stream.WrittenSequence.Length);
        if (_longest > Array.MaxLength)
        {
            Assert.Throws<IOException>(() => stream.ToArray());
            Assert.Throws<IOException>(() => stream.GetBuffer());
            Assert.False(stream.TryGetBuffer(out _));
        }

        stream.Position = Math.Max(0, _longest - (1L << 30));
        using var counter = new CountingStream();
        stream.CopyTo(counter);
        Assert.Equal(Math.Min(_longest, 1L << 30), counter.Count);
        Assert.Equal(_longest, stream.Position);
    }

    private void AssertSameBytes(PooledStream stream, long position)
    {
        var before = _file.Position;
        _file.Position = position;
        var count = ReadAll(_file, _expected);
        _file.Position = before;

        Assert.Equal(count, stream.ReadAt(position, _actual));
        Assert.True(
            _expected.AsSpan(0, count).SequenceEqual(_actual.AsSpan(0, count)), $"The bytes from {position:N0} on differ.");
    }

    private static int ReadAll(FileStream file, Span<byte> buffer) =>
        file.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false);

    private sealed class CountingStream : MemoryStream
    {
        public long Count { get; private set; }

        public override void Write(byte[] buffer, int offset, int count) => Count += count;

        public override void Write(ReadOnlySpan<byte> buffer) => Count += buffer.Length;
    }
}
