using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Regressions;

/// <summary>Bugs that other projects had, in their shape: the rules would have found them while they were typed.</summary>
public sealed class OtherProjects
{
    // A method kept the lease of each connection that a query used, until the pool was exhausted.
    [Fact]
    public Task Efcore_2347_asynchronous_queries_do_not_release_their_connection() => Expect.FoundAsync(
        "PH1001",
        """
            public async Task<int> CountAsync()
            {
                var lease = await [|sessions.RentAsync()|];
                return await lease.Value.CountAsync();
            }
        """);

    // A pooled object was still in use by a pattern matcher that had been disposed.
    [Fact]
    public Task Roslyn_18887_a_pooled_object_is_used_after_its_disposal() => Expect.FoundAsync(
        "PH1002",
        """
            public int Match()
            {
                var lease = tiered.Rent();
                var matcher = lease.Value;
                lease.Dispose();
                return [|matcher|].Length;
            }
        """);

    // The caller got a pooled collection that the using of the called method had already given back.
    [Fact]
    public Task Roslyn_85560_a_pooled_object_escapes_its_using() => Expect.FoundAsync(
        "PH1003",
        """
            public StringBuilder Collect()
            {
                using var lease = tiered.Rent();
                var found = lease.Value;
                found.Append('x');
                return [|found|];
            }
        """);

    // The length that a read had returned was awaited for a second time.
    [Fact]
    public Task SqlClient_295_a_value_task_is_awaited_twice() => Expect.FoundAsync(
        "PH1004",
        """
            public async Task<int> ReadAsync()
            {
                var rent = sessions.RentAsync();
                await using var first = await rent;
                await using var second = [|await rent|];
                return await first.Value.CountAsync() + await second.Value.CountAsync();
            }
        """);

    // The context was disposed before the query had finished.
    [Fact]
    public Task Roslyn_49573_a_task_is_returned_out_of_a_using_block() => Expect.FoundAsync(
        "PH1010",
        """
            public Task<int> FirstAsync()
            {
                using (var lease = sessions.Rent())
                {
                    return [|lease.Value.CountAsync()|];
                }
            }
        """);

    // Sources gave themselves back to the pool, and so did their owner.
    [Fact]
    public Task AngleSharp_300_an_item_goes_back_to_the_pool_twice() => Expect.FoundAsync(
        "PH1011",
        """
            public void Parse()
            {
                using var lease = tiered.Rent();
                var source = lease.Value;
                source.Append('x');
                [|tiered.Return(source)|];
            }
        """);

    [Fact]
    public Task Runtime_110582_a_return_is_repeated() => Expect.FoundAsync(
        "PH2001",
        """
            public void Run()
            {
                var array = ArrayPool<int>.Shared.Rent(1000);
                array[0] = 10;
                ArrayPool<int>.Shared.Return(array);
                [|ArrayPool<int>.Shared.Return(array)|];
            }
        """);

    // The characters were turned into a string after their array had gone back.
    [Fact]
    public Task Corefx_37270_an_array_is_used_after_its_return() => Expect.FoundAsync(
        "PH2002",
        """
            public string Read(TextReader source, int length)
            {
                var characters = ArrayPool<char>.Shared.Rent(length);
                var read = source.Read(characters, 0, length);
                ArrayPool<char>.Shared.Return(characters);
                return new string([|characters|], 0, read);
            }
        """);

    // When the buffer grew, the new array was returned instead of the old one.
    [Fact]
    public Task Coreclr_15104_the_new_array_is_returned_instead_of_the_old_one() => Expect.FoundAsync(
        "PH2002",
        """
            public int Grow(byte[] old)
            {
                var larger = ArrayPool<byte>.Shared.Rent(old.Length * 2);
                old.CopyTo(larger, 0);
                ArrayPool<byte>.Shared.Return(larger);
                return [|larger|][0];
            }
        """);

    // The first example of the request for such rules.
    [Fact]
    public Task Runtime_33767_a_return_in_a_try_block_is_repeated_in_its_catch_block() => Expect.FoundAsync(
        "PH2003",
        """
            public void Copy(Stream source, Stream target)
            {
                var buffer = ArrayPool<byte>.Shared.Rent(4096);
                try
                {
                    var read = source.Read(buffer, 0, 4096);
                    target.Write(buffer, 0, read);
                    ArrayPool<byte>.Shared.Return(buffer);
                    target.Flush();
                }
                catch
                {
                    [|ArrayPool<byte>.Shared.Return(buffer)|];
                    throw;
                }
            }
        """);

    // A hash was compared with all of an array that could be longer than the hash.
    [Fact]
    public Task Azure_sdk_54461_a_rented_array_is_longer_than_its_content() => Expect.FoundAsync(
        "PH2007",
        """
            public bool Verify(byte[] expected, Action<byte[]> compute)
            {
                var computed = ArrayPool<byte>.Shared.Rent(expected.Length);
                try
                {
                    compute(computed);
                    return Enumerable.SequenceEqual([|computed|], expected);
                }
                finally
                {
                    ArrayPool<byte>.Shared.Return(computed);
                }
            }
        """);

    // The segment of the buffer went into a cache, and the stream was disposed at the end of the block.
    [Fact]
    public Task RecyclableMemoryStream_127_the_content_outlives_the_stream() => Expect.FoundAsync(
        "PH3003",
        """
            public ReadOnlySequence<byte> Serialize(string text)
            {
                using var stream = streams.Rent("serialize");
                stream.Write(Encoding.UTF8.GetBytes(text));
                return [|stream.WrittenSequence|];
            }
        """);

    [Fact]
    public Task RecyclableMemoryStream_365_a_stream_is_not_disposed() => Expect.FoundAsync(
        "PH3002",
        """
            public long Measure(string text)
            {
                var stream = [|streams.Rent("measure")|];
                stream.Write(Encoding.UTF8.GetBytes(text));
                return stream.Length;
            }
        """);

    // The rent of an array has no return in any branch.
    [Fact]
    public Task MagicOnion_535_an_array_is_never_returned() => Expect.FoundAsync(
        "PH2005",
        """
            public int Deserialize(ReadOnlySequence<byte> source)
            {
                var array = [|ArrayPool<byte>.Shared.Rent((int)source.Length)|];
                source.CopyTo(array);
                return array[0];
            }
        """);
}
