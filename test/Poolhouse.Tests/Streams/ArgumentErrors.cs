
namespace Poolhouse.Tests.Streams;

/// <summary>An invalid argument throws at the call, is named, and has no effect.</summary>
public sealed class ArgumentErrors
{
    private readonly PooledStream _stream = StreamPools.Make().RentWith(StreamPools.Bytes(100));

    public ArgumentErrors() => _stream.Position = 20;

    /// <summary>The parameter to blame, then an offset and a count for an array of ten bytes, or for none.</summary>
    public static TheoryData<string, bool, int, int> Wrong => new()
    {
        { "buffer", false, 0, 0 },
        { "buffer", false, -1, -1 },
        { "offset", true, -1, 5 },
        { "offset", true, int.MinValue, 0 },
        { "count", true, 0, -1 },
        { "count", true, 0, 11 },
        { "count", true, 10, 1 },
        { "count", true, 11, 0 },
        { "count", true, 5, int.MaxValue },
        { "count", true, int.MaxValue, int.MaxValue },
        { "count", true, 1, 10 },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Invalid_arguments_of_array_reads_and_writes_are_named(string name, bool exists, int offset, int count)
    {
        var array = exists ? new byte[10] : null!;
        var token = TestContext.Current.CancellationToken;
        AssertNamesParameter(name, () => _ = _stream.Read(array, offset, count));
        AssertNamesParameter(name, () => { _ = _stream.ReadAsync(array, offset, count, token); });
        AssertNamesParameter(name, () => _stream.BeginRead(array, offset, count, null, null));
        AssertNamesParameter(name, () => _stream.ReadExactly(array, offset, count));
        AssertNamesParameter(name, () => _stream.Write(array, offset, count));
        AssertNamesParameter(name, () => { _ = _stream.WriteAsync(array, offset, count, token); });
        AssertNamesParameter(name, () => _stream.BeginWrite(array, offset, count, null, null));

        Assert.Equal((100, 20), (_stream.Length, _stream.Position));
    }

    [Fact]
    public void Invalid_arguments_of_a_copy_are_named()
    {
        var token = TestContext.Current.CancellationToken;
        AssertNamesParameter("destination", () => _stream.CopyTo(null!));
        AssertNamesParameter("destination", () => _stream.CopyTo(null!, 0));
        AssertNamesParameter("destination", () => { _ = _stream.CopyToAsync(null!, token); });
        AssertNamesParameter("bufferSize", () => _stream.CopyTo(Stream.Null, 0));
        AssertNamesParameter("bufferSize", () => _stream.CopyTo(Stream.Null, -1));
        AssertNamesParameter("bufferSize", () => { _ = _stream.CopyToAsync(Stream.Null, 0, token); });
        AssertNamesParameter("stream", () => _stream.WriteTo(null!));

        Assert.Equal(20, _stream.Position);
    }

    [Fact]
    public void Ending_an_operation_that_was_never_begun_is_an_error()
    {
        AssertNamesParameter("asyncResult", () => _stream.EndRead(null!));
        AssertNamesParameter("asyncResult", () => _stream.EndWrite(null!));
    }

    [Theory]
    [InlineData(99)]
    [InlineData(-1)]
    [InlineData(0)]
    public void A_capacity_below_the_length_is_an_error(long value)
    {
        AssertNamesParameter(nameof(value), () => _stream.Capacity = value);

        Assert.Equal(StreamPools.Bytes(100), _stream.ToArray());
    }

    private static void AssertNamesParameter(string name, Action call) =>
        Assert.Equal(name, Assert.ThrowsAny<ArgumentException>(call).ParamName);
}
