
namespace Poolhouse.Tests.Buffers;

public sealed class Trimming
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Fact]
    public void Trim_drops_everything_retained_and_returns_the_number()
    {
        _pool.ReturnAll(_pool.RentMany(40, 100));
        _pool.ReturnAll(_pool.RentMany(3, 5000));
        var leases = new[] { _pool.RentExact(1 << 20), _pool.RentExact(1 << 20) };
        Array.ForEach(leases, lease => lease.Dispose());

        Assert.Equal(45, _pool.Trim());
        Assert.Equal(0, _pool.Trim());
        var statistics = _pool.AssertBalanced();
        Assert.Equal(0, statistics.RetainedBytes);
        Assert.Equal(45, statistics.Trimmed);
    }

    [Fact]
    public void Trim_reaches_the_stacks_of_other_threads()
    {
        Threads.Run(3, _ => _pool.ReturnAll(_pool.RentMany(10, 100)));

        Assert.Equal(_pool.GetStatistics().Retained, _pool.Trim());
        Assert.Equal(0, _pool.AssertBalanced().Retained);
    }

    [Fact]
    public void Trim_does_not_affect_rented_arrays()
    {
        var array = _pool.Rent(100);
        using var lease = _pool.RentExact(100);
        lease.Span.Fill(7);

        Assert.Equal(0, _pool.Trim());
        _pool.Return(array);
        Assert.Same(array, _pool.Rent(100));
        Assert.Equal(-1, lease.Span.IndexOfAnyExcept((byte)7));
    }

    [Fact]
    public void After_a_trim_rents_create_new_arrays()
    {
        var array = _pool.Rent(100);
        _pool.Return(array);
        _pool.Trim();

        Assert.NotSame(array, _pool.Rent(100));
        Assert.Equal(2, _pool.AssertBalanced().Created);
    }
}
