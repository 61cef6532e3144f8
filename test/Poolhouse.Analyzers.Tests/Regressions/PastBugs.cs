using Microsoft.CodeAnalysis;
using Poolhouse.Analyzers.Tests.Harness;
using Poolhouse.TestSupport;

namespace Poolhouse.Analyzers.Tests.Regressions;

/// <summary>
/// The shapes of real bugs, one for each rule that warns: what it would have caught. The code is not that of the projects.
/// </summary>
public sealed class PastBugs
{
    [Fact]
    public Task An_array_that_is_returned_twice_as_in_runtime_118292() => Expect.FoundAsync(
        "PH2001",
        """
            void Close(byte[] buffer)
            {
                ArrayPool<byte>.Shared.Return(buffer);
                Console.WriteLine("closed");
                [|ArrayPool<byte>.Shared.Return(buffer)|];
            }
        """);

    [Fact]
    public Task A_buffer_that_is_read_after_its_return_as_in_dotnet_api_docs_12062() => Expect.FoundAsync(
        "PH2002",
        """
            string Read(Stream source, int count)
            {
                var buffer = ArrayPool<byte>.Shared.Rent(count);
                var content = buffer.AsSpan(0, source.Read(buffer, 0, count));
                ArrayPool<byte>.Shared.Return(buffer);
                return Encoding.UTF8.GetString([|content|]);
            }
        """);

    [Fact]
    public Task A_return_on_the_error_path_and_again_as_in_runtime_33767_and_CVE_2019_17638() => Expect.FoundAsync(
        "PH2003",
        """
            void Send(Stream target, ReadOnlySpan<byte> header)
            {
                var buffer = ArrayPool<byte>.Shared.Rent(header.Length);
                try
                {
                    header.CopyTo(buffer);
                    target.Write(buffer, 0, header.Length);
                    ArrayPool<byte>.Shared.Return(buffer);
                    target.Flush();
                }
                catch (IOException)
                {
                    [|ArrayPool<byte>.Shared.Return(buffer)|];
                    throw;
                }
            }
        """);

    [Fact]
    public Task A_return_to_a_foreign_pool_as_in_runtime_118292() => Expect.FoundAsync(
        "PH2004",
        """
            void Fill(ArrayPool<byte> pool, Stream source)
            {
                var buffer = pool.Rent(4096);
                source.ReadExactly(buffer, 0, 4096);
                [|ArrayPool<byte>.Shared.Return(buffer)|];
            }
        """);

    // The capacity of a pooled array taken for the length of its content, as in the report of RecyclableMemoryStream's GetBuffer.
    [Fact]
    public Task The_capacity_of_a_buffer_is_taken_for_its_length() => Expect.FoundAsync(
        "PH2007",
        """
            string Decode(Stream source, int count)
            {
                var buffer = ArrayPool<byte>.Shared.Rent(count);
                try
                {
                    source.ReadExactly(buffer, 0, count);
                    return Convert.ToBase64String([|buffer|]);
                }
                finally
                {
                    ArrayPool<byte>.Shared.Return(buffer);
                }
            }
        """);

    // Ownership that is lost on the way: IDisposableAnalyzers#213 and roslyn-analyzers#1617.
    [Fact]
    public Task A_memory_owner_that_is_never_disposed() => Expect.FoundAsync(
        "PH2010",
        """
            int Sum(Stream source, int count)
            {
                var owner = [|MemoryPool<byte>.Shared.Rent(count)|];
                var read = source.Read(owner.Memory.Span);
                return read;
            }
        """);

    [Fact]
    public Task A_pooled_object_that_outlives_its_using_as_in_roslyn_85560() => Expect.FoundAsync(
        "PH1003",
        """
            StringBuilder Describe(string name)
            {
                using var lease = tiered.Rent();
                var builder = lease.Value;
                builder.Append(name);
                return [|builder|];
            }
        """);

    [Fact]
    public Task A_task_that_is_returned_out_of_a_using_as_in_runtime_78394() => Expect.FoundAsync(
        "PH1010",
        """
            Task<int> CountAsync()
            {
                using var lease = sessions.Rent();
                return [|lease.Value.CountAsync()|];
            }
        """);

    // A connection that is used after it went back, as in npgsql#4425: by then it is another caller's.
    [Fact]
    public Task A_connection_that_is_used_after_it_went_back() => Expect.FoundAsync(
        "PH1002",
        """
            async Task RunAsync()
            {
                var lease = await sessions.RentAsync();
                var session = lease.Value;
                await lease.DisposeAsync();
                await [|session|].UseAsync();
            }
        """);

    // An item that is handed back twice, as in npgsql#4479, here once by hand and once by its lease.
    [Fact]
    public Task A_leased_object_that_is_handed_back_twice() => Expect.FoundAsync(
        "PH1011",
        """
            void Write(string text)
            {
                using var lease = tiered.Rent();
                Console.WriteLine(lease.Value.Append(text));
                [|tiered.Return(lease.Value)|];
            }
        """);

    // ValueTasks that are awaited twice: CA2012, and the false alarms at branches that it has (roslyn-analyzers#3384).
    [Fact]
    public Task A_rent_that_is_awaited_twice() => Expect.FoundAsync(
        "PH1004",
        """
            async Task RunAsync(bool first)
            {
                var rent = sessions.RentAsync();
                using var lease = await rent;
                lease.Value.Use();
                using var again = [|await rent|];
            }
        """);

    // A connection leak, the most frequent report about every connection pool.
    [Fact]
    public Task A_connection_that_is_never_given_back() => Expect.FoundAsync(
        "PH1001",
        """
            async Task<int> CountAsync()
            {
                var lease = await [|sessions.RentAsync()|];
                return await lease.Value.CountAsync();
            }
        """);

    // An object that gives up its item where it should end it: unique_ptr::release in the place of reset, as in
    // apache/trafficserver#9844, dealii#5235 and g3log#428.
    [Fact]
    public Task An_item_that_is_given_up_instead_of_destroyed_as_in_trafficserver_9844() => Expect.FoundAsync(
        "PH1007",
        """
            async Task CloseAsync(bool isBroken)
            {
                var lease = await sessions.RentAsync();
                if (isBroken)
                {
                    [|lease.Detach()|];
                    return;
                }

                await lease.DisposeAsync();
            }
        """);

    [Fact]
    public Task A_span_in_a_local_that_is_read_after_its_buffer_ended_as_in_arrow_dotnet_406() => Expect.FoundAsync(
        "PH1012",
        """
            int Sum(Stream source, int count)
            {
                var lease = buffers.RentExact(count);
                var values = lease.Span;
                source.ReadExactly(values);
                lease.Dispose();
                var sum = 0;
                foreach (var value in [|values|])
                {
                    sum += value;
                }

                return sum;
            }
        """);

    [Fact]
    public Task A_stream_of_pooled_memory_that_is_not_disposed_as_in_CoreRemoting_137() => Expect.FoundAsync(
        "PH3002",
        """
            byte[] Serialize(string message)
            {
                var stream = [|streams.Rent()|];
                stream.Write(Encoding.UTF8.GetBytes(message));
                stream.Position = 0;
                var content = new byte[(int)stream.Length];
                stream.ReadExactly(content);
                return content;
            }
        """);

    [Fact]
    public Task A_sequence_that_leaves_the_using_of_its_stream_as_in_RecyclableMemoryStream_127() => Expect.FoundAsync(
        "PH3003",
        """
            ReadOnlySequence<byte> Serialize(string message)
            {
                using (var stream = streams.Rent("Serialize"))
                {
                    using (var writer = new StreamWriter(stream, leaveOpen: true))
                    {
                        writer.Write(message);
                    }

                    return [|stream.WrittenSequence|];
                }
            }
        """);

    [Fact]
    public Task A_buffer_that_is_fetched_from_a_closed_stream_as_in_RecyclableMemoryStream_97() => Expect.FoundAsync(
        "PH3003",
        """
            byte[] Serialize(byte[] message)
            {
                var stream = streams.Rent("Serialize");
                stream.Write(message);
                stream.Close();
                return [|stream.GetBuffer()|];
            }
        """);

    /// <summary>A rule without such a bug is a suggestion.</summary>
    [Fact]
    public void Each_rule_that_warns_has_a_bug_of_the_past()
    {
        var source = File.ReadAllText(Checkout.PathOf("test", "Poolhouse.Analyzers.Tests", "Regressions", "PastBugs.cs"));
        Assert.All(
            Rules.All.Where(rule => rule.DefaultSeverity == DiagnosticSeverity.Warning),
            rule => Assert.Contains($"\"{rule.Id}\"", source, StringComparison.Ordinal));
    }
}
