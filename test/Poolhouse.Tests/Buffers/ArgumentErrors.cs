using System.Buffers;

namespace Poolhouse.Tests.Buffers;

public sealed class ArgumentErrors
{
    private readonly TieredArrayPool<byte> _pool = Pools.Make<byte>();

    [Theory]
    [InlineData(-1)]
    [InlineData(-16)]
    [InlineData(int.MinValue)]
    [InlineData(int.MinValue + 1)]
    public void A_negative_length_is_rejected_as_by_ArrayPool(int length)
    {
        AssertSameError(pool => pool.Rent(length));
        Assert.Equal("minimumLength", Assert.Throws<ArgumentOutOfRangeException>(() => _pool.Rent(length)).ParamName);
        Assert.Equal("length", Assert.Throws<ArgumentOutOfRangeException>(() => _pool.RentExact(length)).ParamName);
    }

    [Fact]
    public void Null_is_rejected_as_by_ArrayPool()
    {
        AssertSameError(pool => pool.Return(null!));
        Assert.Equal("array", Assert.Throws<ArgumentNullException>(() => _pool.Return(null!)).ParamName);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(17)]
    [InlineData(48)]
    [InlineData(1023)]
    [InlineData(1025)]
    [InlineData((1 << 20) - 1)]
    public void An_array_of_a_foreign_length_is_rejected_as_by_ArrayPool(int length)
    {
        AssertSameError(pool => pool.Return(new byte[length]));
        Assert.Equal("array", Assert.Throws<ArgumentException>(() => _pool.Return(new byte[length])).ParamName);
    }

    [Theory]
    [InlineData(ClearPolicy.Never, false)]
    [InlineData(ClearPolicy.Never, true)]
    [InlineData(ClearPolicy.Always, false)]
    [InlineData(ClearPolicy.Sensitive, true)]
    public void A_rejected_array_is_left_unchanged(ClearPolicy clear, bool clearArray)
    {
        using var pool = Pools.Make<byte>(clear);
        var foreign = new byte[] { 1, 2, 3 };

        Assert.Throws<ArgumentException>(() => pool.Return(foreign, clearArray));
        Assert.Equal([1, 2, 3], foreign);
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(int.MaxValue - 1)]
    public void An_impossible_length_throws_OutOfMemoryException_as_ArrayPool_does(int length)
    {
        AssertSameError(pool => pool.Rent(length));
        Assert.Throws<OutOfMemoryException>(() => _pool.RentExact(length));
    }

    [Fact]
    public void An_error_does_not_change_the_counters()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _pool.Rent(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => _pool.RentExact(-1));
        Assert.Throws<OutOfMemoryException>(() => _pool.Rent(int.MaxValue));
        Assert.Throws<ArgumentException>(() => _pool.Return(new byte[3]));

        Assert.Equal("No activity.", _pool.GetStatistics().ToString());
    }

    [Fact]
    public void The_message_about_a_foreign_array_names_its_length_and_the_pool()
    {
        var options = Pools.Options();
        options.Name = "frames";
        using var pool = new TieredArrayPool<byte>(options);

        var error = Assert.Throws<ArgumentException>(() => pool.Return(new byte[1000]));
        Assert.Contains("1000", error.Message, StringComparison.Ordinal);
        Assert.Contains("'frames'", error.Message, StringComparison.Ordinal);
    }

    private void AssertSameError(Action<ArrayPool<byte>> call)
    {
        var expected = Record.Exception(() => call(ArrayPool<byte>.Shared));
        Assert.NotNull(expected);
        foreach (var pool in new[] { _pool, TieredArrayPool<byte>.Shared })
        {
            var actual = Record.Exception(() => call(pool));
            Assert.IsType(expected.GetType(), actual);
            Assert.Equal((expected as ArgumentException)?.ParamName, (actual as ArgumentException)?.ParamName);
        }
    }
}
