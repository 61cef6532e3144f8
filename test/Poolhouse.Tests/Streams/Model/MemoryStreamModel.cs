using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>Random calls on a pooled stream and on the framework's memory stream, which must show the same (I23).</summary>
public sealed class MemoryStreamModel
{
    private const int Tests = 1_000;
    private const int Longest = 300;
    private const int LeastSteps = 50_000;
    private const int TestsInParanoidMode = 100;

    private static readonly Gen<Setup> _randomSetups =
        from first in Gen.Choose(4, 12)
        from growth in Gen.Choose(0, 8)
        from hint in Gen.Frequency((3, Gen.Constant(0)), (1, Gen.Choose(1, 10_000)))
        select new Setup(1 << first, 1 << (first + growth), hint);

    // Used again and again, so that the blocks are full of what earlier sequences left.
    private readonly TieredArrayPool<byte> _quickArrays = Pools.Make<byte>();
    private readonly TieredArrayPool<byte> _paranoidArrays = new(
        new ArrayPoolOptions { Paranoid = ParanoidMode.Throw, MemoryPressure = new MemoryPressureSource() });
    private readonly Dictionary<(int First, int Max), StreamPool> _pools = [];
    private readonly Comparison _comparison = new();

    [Fact]
    public void A_stream_of_small_blocks_behaves_like_MemoryStream() => Check(Gen.Constant(new Setup(16, 64, 0)));

    [Fact]
    public void A_stream_of_default_blocks_behaves_like_MemoryStream() =>
        Check(Gen.Constant(new Setup(1024, 1 << 20, 0)));

    [Fact]
    public void A_stream_of_random_blocks_behaves_like_MemoryStream() => Check(_randomSetups);

    [Fact]
    public void A_stream_in_paranoid_mode_behaves_like_MemoryStream()
    {
        var setups = _randomSetups.Select(static setup => setup with { IsParanoid = true });
        Sequences.Check(setups, setup => StreamMoves.OfMemoryStreams(setup.First), Compare, TestsInParanoidMode, Longest);
    }

    private void Check(Gen<Setup> setups)
    {
        Sequences.Check(setups, setup => StreamMoves.OfMemoryStreams(setup.First), Compare, Tests, Longest);

        TestContext.Current.TestOutputHelper!.WriteLine($"{_comparison.Steps:N0} calls");
        Assert.InRange(_comparison.Steps, LeastSteps, long.MaxValue);
    }

    private void Compare(Setup setup, StreamMove[] moves)
    {
        var pool = PoolOf(setup);
        using var expected = new MemoryStream();
        using (var actual = pool.Rent(sizeHint: setup.Hint))
        {
            _comparison.Run(moves, new FrameworkSubject(expected), new PooledSubject(actual));
        }

        Assert.Equal(0, pool.Arrays.AssertBalanced().Leased);
        Assert.Equal(0, pool.Arrays.GetStatistics().DoubleReturns);
    }

    private StreamPool PoolOf(Setup setup)
    {
        if (!_pools.TryGetValue((setup.First, setup.Max), out var pool))
        {
            var arrays = setup.IsParanoid ? _paranoidArrays : _quickArrays;
            pool = StreamPools.Make(arrays, setup.First, setup.Max, options =>
            {
                options.MaxLength = int.MaxValue;
                options.Paranoid = setup.IsParanoid ? ParanoidMode.Throw : ParanoidMode.Off;
            });
            _pools.Add((setup.First, setup.Max), pool);
        }

        return pool;
    }

    public sealed record Setup(int First, int Max, int Hint, bool IsParanoid = false);
}
