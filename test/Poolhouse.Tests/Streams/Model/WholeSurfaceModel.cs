using FsCheck;
using FsCheck.Fluent;
using Poolhouse.Tests.Buffers;

namespace Poolhouse.Tests.Streams.Model;

/// <summary>
/// Random calls of the whole public surface on one stream, mixed, while others use the same blocks: streams, views, sequences,
/// pipes, buffers, capacity, offers, detached content and copies that are under way (I31).
/// </summary>
public sealed class WholeSurfaceModel
{
    private const int Tests = 1_500;
    private const int Longest = 120;

    private static readonly MixCall[] _offers =
        [MixCall.GetMemory, MixCall.GetSpan, MixCall.PipeGetMemory, MixCall.Advance, MixCall.AdvanceAll, MixCall.PipeAdvance];

    private static readonly Gen<MixMove> _moves =
        from call in Gen.Frequency((2, Gen.Elements(Enum.GetValues<MixCall>())), (1, Gen.Elements(_offers)))
        from size in Gen.Frequency(
            (4, Gen.Choose(0, 20)), (3, Gen.Choose(14, 18)), (3, Gen.Choose(30, 70)), (2, Gen.Choose(0, 300)),
            (1, Gen.Choose(250, 1000)))
        select new MixMove(call, size);

    private static readonly Gen<Setup> _setups =
        from first in Gen.Choose(4, 7)
        from growth in Gen.Choose(0, 5)
        from hint in Gen.Frequency((3, Gen.Constant(0)), (1, Gen.Choose(1, 500)))
        from clear in Gen.Elements(ClearPolicy.Never, ClearPolicy.Sensitive)
        select new Setup(1 << first, 1 << (first + growth), hint, clear);

    private long _steps;

    [Fact]
    public void No_foreign_bytes_are_visible_and_valid_memory_does_not_change() => Check(keepsWriting: false);

    [Fact]
    public void A_writer_that_keeps_revoked_memory_never_changes_foreign_bytes() => Check(keepsWriting: true);

    private void Check(bool keepsWriting)
    {
        Sequences.Check(_setups, _ => _moves, (setup, moves) => Play(setup, moves, keepsWriting), Tests, Longest);

        TestContext.Current.TestOutputHelper!.WriteLine($"{_steps:N0} calls");
        Assert.InRange(_steps, 20_000, long.MaxValue);
    }

    private void Play(Setup setup, MixMove[] moves, bool keepsWriting)
    {
        using var arrays = Pools.Make<byte>(setup.Clear);
        using var pool = StreamPools.Make(arrays, setup.First, setup.Max);
        arrays.FillWithBytes(Neighbors.Mark);
        using (var play = new MixedPlay(arrays, pool, () => pool.Rent(sizeHint: setup.Hint), keepsWriting))
        {
            foreach (var move in moves)
            {
                play.Do(move);
                _steps++;
            }
        }

        Assert.Equal((0, 0), (arrays.AssertBalanced().Leased, pool.AssertBalanced().Leased));
        Assert.Equal(0, arrays.GetStatistics().DoubleReturns);
    }

    public sealed record Setup(int First, int Max, int Hint, ClearPolicy Clear);
}
