
namespace Poolhouse.Tests.Streams;

/// <summary>The rules of writing, in each of the ways to write.</summary>
public sealed class Writing
{
    private readonly StreamPool _pool = StreamPools.Make();
    private readonly byte[] _content = StreamPools.Bytes(200);

    public static TheoryData<Mode> All => Modes.All;

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_write_in_the_middle_replaces_the_content(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        var expected = _content.ToArray();
        foreach (var (position, count) in ((int, int)[])[(0, 5), (14, 4), (60, 70), (199, 1)])
        {
            var data = StreamPools.Bytes(count, position + 100);
            data.CopyTo(expected, position);
            stream.Position = position;
            await stream.WriteAsync(mode, data, 0, count);

            Assert.Equal(position + count, stream.Position);
            Assert.Equal(expected, stream.ToArray());
        }
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_write_across_the_end_extends_the_stream(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        var data = StreamPools.Bytes(100, 77);
        stream.Position = 150;
        await stream.WriteAsync(mode, data, 0, 100);

        Assert.Equal((250, 250), (stream.Length, stream.Position));
        Assert.Equal([.. _content[..150], .. data], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task A_write_reads_only_its_part_of_the_buffer(Mode mode)
    {
        await using var stream = _pool.Rent();
        await stream.WriteAsync(mode, _content, 20, 40);

        Assert.Equal(_content[20..60], stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task The_bytes_are_copied_when_the_write_returns(Mode mode)
    {
        await using var stream = _pool.Rent();
        var data = _content.ToArray();
        await stream.WriteAsync(mode, data, 0, data.Length);
        Array.Clear(data);

        Assert.Equal(_content, stream.ToArray());
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task An_empty_write_within_the_stream_changes_nothing(Mode mode)
    {
        await using var stream = _pool.RentWith(_content);
        foreach (var position in (long[])[0, 16, 100, 200])
        {
            stream.Position = position;
            await stream.WriteAsync(mode, [], 0, 0);

            Assert.Equal((200, position), (stream.Length, stream.Position));
        }
    }

    [Fact]
    public void A_stream_grows_from_block_to_block_without_losing_a_byte()
    {
        using var stream = _pool.Rent();
        for (var i = 0; i < 5000; i++)
        {
            stream.WriteByte((byte)i);
        }

        var content = stream.ToArray();
        Assert.Equal(5000, content.Length);
        Assert.All(Enumerable.Range(0, 5000), i => Assert.Equal((byte)i, content[i]));
    }
}
