using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Regressions;

/// <summary>Misuse that was reported to other projects: Meziantou.Analyzer#1416, runtime#92511, openai-dotnet#319.</summary>
public sealed class Reported
{
    [Theory]
    [InlineData(
        """
            public async Task<int> ReadAsync(Stream source, int count)
            {
                var buffer = arrays.Rent(count);
                try
                {
                    var read = [|source.ReadAsync(buffer, 0, count)|];
                    if (await Task.WhenAny(read, Task.Delay(1000)) != read)
                    {
                        throw new TimeoutException();
                    }

                    return await read;
                }
                finally
                {
                    arrays.Return(buffer);
                }
            }
        """)]
    [InlineData(
        """
            public async Task<int> ReadAsync(Stream source, int count)
            {
                var buffer = arrays.Rent(count);
                var read = [|source.ReadAsync(buffer.AsMemory(0, count)).AsTask()|];
                var first = await Task.WhenAny(read, Task.Delay(1000)).ConfigureAwait(false);
                if (first == read)
                {
                    var result = await read;
                    arrays.Return(buffer);
                    return result;
                }

                arrays.Return(buffer);
                return -1;
            }
        """)]
    [InlineData(
        """
            public async Task<int> ReadAsync(Stream source, int count)
            {
                var buffer = arrays.Rent(count);
                try
                {
                    return await [|source.ReadAsync(buffer.AsMemory(0, count)).AsTask().WaitAsync(TimeSpan.FromSeconds(1))|];
                }
                finally
                {
                    arrays.Return(buffer);
                }
            }
        """)]
    [InlineData(
        """
            public Task<int> ReadAsync(Stream source, int count)
            {
                var buffer = arrays.Rent(count);
                try
                {
                    return [|source.ReadAsync(buffer, 0, count)|];
                }
                finally
                {
                    arrays.Return(buffer);
                }
            }
        """)]
    [InlineData(
        """
            public void Send(Stream target, int count)
            {
                var buffer = arrays.Rent(count);
                buffer.AsSpan(0, count).Clear();
                _ = [|target.WriteAsync(buffer, 0, count)|];
                arrays.Return(buffer);
            }
        """)]
    public Task Meziantou_analyzer_1416_an_array_is_returned_while_a_task_may_still_use_it(string source) =>
        Expect.FoundAsync("PH2002", source);

    [Fact]
    public Task The_memory_of_a_lease_is_returned_while_a_task_may_still_use_it() => Expect.FoundAsync(
        "PH1012",
        """
            public async Task<int> ReadAsync(Stream source, int count)
            {
                using var lease = buffers.RentExact(count);
                var read = [|source.ReadAsync(lease.Memory).AsTask()|];
                if (await Task.WhenAny(read, Task.Delay(1000)) != read)
                {
                    return -1;
                }

                return await read;
            }
        """);

    [Theory]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); return await read;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10).ConfigureAwait(false); return await read;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); await Task.WhenAll(read, other); return 1;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); await Task.WhenAny(read, other); return await read;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); await await Task.WhenAny(read, other); return 1;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); var first = await Task.WhenAny(read, other); await first; return 1;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); return await Task.WhenAny(read, other) == read ? 1 : await read;")]
    [InlineData("var read = source.ReadAsync(buffer.AsMemory(0, 10)); return read.IsCompleted ? 1 : await read;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); read.Wait(); return 1;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); return read.GetAwaiter().GetResult();")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); Consume(read); return 1;")]
    [InlineData("var read = source.ReadAsync(buffer, 0, 10); try { return await read.WaitAsync(limit); } finally { await read; }")]
    [InlineData("return await source.ReadAsync(buffer, 0, 10);")]
    [InlineData("using var target = new MemoryStream(); _ = target.WriteAsync(buffer, 0, 10); return 1;")]
    public Task A_task_that_has_completed_is_left_alone(string body) => Expect.NothingAsync(
        $$"""
            public async Task<int> ReadAsync(Stream source, Task other, TimeSpan limit)
            {
                var buffer = arrays.Rent(10);
                try
                {
                    {{body}}
                }
                finally
                {
                    await Task.Yield();
                    arrays.Return(buffer);
                }
            }
        """);

    [Fact]
    public Task A_task_that_a_handler_awaits_before_the_return_is_left_alone() => Expect.NothingAsync(
        """
            public async Task<int> ReadAsync(Stream source)
            {
                var buffer = arrays.Rent(10);
                var read = source.ReadAsync(buffer, 0, 10);
                try
                {
                    try
                    {
                        if (await Task.WhenAny(read, Task.Delay(1000)) != read)
                        {
                            throw new TimeoutException();
                        }

                        return await read;
                    }
                    catch (TimeoutException)
                    {
                        source.Dispose();
                        return await read;
                    }
                }
                finally
                {
                    arrays.Return(buffer);
                }
            }
        """);

    [Fact]
    public Task A_return_after_a_wait_that_ended_with_the_task_is_left_alone() => Expect.NothingAsync(
        """
            public async Task<int> ReadAsync(Stream source, TimeSpan limit)
            {
                var buffer = arrays.Rent(10);
                var read = source.ReadAsync(buffer, 0, 10);
                var count = await read.WaitAsync(limit);
                arrays.Return(buffer);
                return count;
            }
        """);

    [Fact]
    public Task A_return_that_awaits_the_task_is_left_alone() => Expect.NothingAsync(
        """
            public async Task<int> ReadAsync(Stream source, TimeSpan limit)
            {
                var buffer = arrays.Rent(10);
                var read = source.ReadAsync(buffer, 0, 10);
                try
                {
                    return await read.WaitAsync(limit);
                }
                finally
                {
                    await read.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    arrays.Return(buffer);
                }
            }
        """);

    [Theory]
    [InlineData("PooledStream M() { using var stream = streams.Rent(); stream.WriteByte(1); return [|stream|]; }")]
    [InlineData("Stream M() { using var stream = streams.Rent(); stream.WriteByte(1); return [|stream|]; }")]
    [InlineData("async Task<Stream> M() { await using var stream = streams.Rent(); await stream.FlushAsync(); return [|stream|]; }")]
    [InlineData("Stream M() { var stream = streams.Rent(); try { return [|stream|]; } finally { stream.Dispose(); } }")]
    [InlineData("Stream M() { using (var stream = streams.Rent()) { stream.WriteByte(1); return [|stream|]; } }")]
    [InlineData("object M() { using var stream = streams.Rent(); return new FileStreamResult([|stream|], \"x\"); }")]
    [InlineData("object M() { using var stream = streams.Rent(); return Results.Stream([|stream|]); }")]
    public Task A_stream_is_returned_to_the_caller_and_disposed(string member) => Expect.FoundAsync(
        "PH3003",
        $$"""
        internal sealed class Tested
        {
            private static readonly StreamPool streams = null!;
            internal {{member}}
        }

        internal sealed class FileStreamResult(Stream stream, string type) { public string Type => type + stream; }
        internal static class Results { public static object Stream(Stream stream) => new FileStreamResult(stream, ""); }
        """);

    [Theory]
    [InlineData("int M() { using var stream = streams.Rent(); return Parse(stream); }")]
    [InlineData("string M() { using var stream = streams.Rent(); return new StreamReader(stream).ReadToEnd(); }")]
    [InlineData("Stream M() { var stream = streams.Rent(); return stream; }")]
    [InlineData("object M() { using var stream = streams.Rent(); return Deserialize(stream); }")]
    public Task A_stream_that_is_read_before_it_is_disposed_is_left_alone(string member) => Expect.NothingAsync(
        $$"""
        internal sealed class Tested
        {
            private static readonly StreamPool streams = null!;
            internal {{member}}
            private static int Parse(Stream stream) => stream.ReadByte();
            private static object Deserialize(Stream stream) => stream.ReadByte();
        }
        """);

    [Theory]
    [InlineData(
        """
            public bool TryParse(string text)
            {
                var buffer = [|arrays.Rent(text.Length)|];
                if (!Encoding.ASCII.TryGetBytes(text, buffer, out var written))
                {
                    return false;
                }

                arrays.Return(buffer);
                return written > 0;
            }
        """)]
    [InlineData(
        """
            public void Parse(string text)
            {
                var buffer = [|arrays.Rent(text.Length)|];
                if (Encoding.ASCII.GetBytes(text, buffer) == 0)
                    return;

                Console.WriteLine(buffer[0]);
                arrays.Return(buffer);
            }
        """)]
    public Task Runtime_92511_an_array_is_not_returned_on_one_path(string source) => Expect.FoundAsync("PH2005", source);

    [Theory]
    [InlineData(
        """
            public int Parse(string text)
            {
                byte[]? rented = null;
                var span = text.Length <= 256 ? stackalloc byte[256] : rented = arrays.Rent(text.Length);
                var count = Encoding.ASCII.GetBytes(text, span);
                if (rented is not null)
                {
                    arrays.Return(rented);
                }

                return count;
            }
        """)]
    [InlineData(
        """
            public int Parse(string text)
            {
                var isLong = text.Length > 256;
                var rented = isLong ? arrays.Rent(text.Length) : null;
                var count = Encoding.ASCII.GetBytes(text, rented ?? stackalloc byte[256]);
                if (isLong)
                {
                    arrays.Return(rented!);
                }

                return count;
            }
        """)]
    [InlineData(
        """
            public byte[]? Parse(string text)
            {
                var rented = arrays.Rent(text.Length);
                if (Encoding.ASCII.GetBytes(text, rented) == 0)
                {
                    arrays.Return(rented);
                    return null;
                }

                return rented;
            }
        """)]
    public Task An_array_that_is_returned_where_it_was_rented_is_left_alone(string source) => Expect.FoundAsync("PH2005", source);

    [Fact]
    public Task Openai_dotnet_319_an_array_is_not_returned_on_invalid_data() => Expect.FoundAsync(
        "PH2006",
        """
            public byte Parse(string text)
            {
                var buffer = [|arrays.Rent(text.Length)|];
                if (!Encoding.ASCII.TryGetBytes(text, buffer, out var written))
                {
                    throw new FormatException();
                }

                var last = buffer[written - 1];
                arrays.Return(buffer);
                return last;
            }
        """);

    [Theory]
    [InlineData("if (text.Length == 0) { throw new FormatException(); } var buffer = arrays.Rent(10); arrays.Return(buffer);")]
    [InlineData(
        "var buffer = arrays.Rent(10); if (text.Length == 0) { arrays.Return(buffer); throw new FormatException(); } " +
        "arrays.Return(buffer);")]
    [InlineData(
        "var buffer = arrays.Rent(10); try { if (text.Length == 0) { throw new FormatException(); } } finally { " +
        "arrays.Return(buffer); }")]
    public Task A_throw_that_loses_no_array_is_left_alone(string body) => Expect.FoundAsync(
        "PH2006", $$"""public void Parse(string text) { {{body}} }""");

    [Theory]
    [InlineData("source.ReadExactly([|buffer|]);")]
    [InlineData("source.ReadExactly([|buffer|].AsSpan());")]
    [InlineData("await source.ReadExactlyAsync([|buffer|]);")]
    public Task ReadExactly_reads_the_length_that_was_rented(string read) => Expect.FoundAsync("PH2007", Reading(read));

    [Theory]
    [InlineData("source.ReadExactly(buffer, 0, 10);")]
    [InlineData("source.ReadExactly(buffer.AsSpan(0, 10));")]
    [InlineData("await source.ReadExactlyAsync(buffer.AsMemory(0, 10));")]
    public Task ReadExactly_with_a_length_is_left_alone(string read) => Expect.FoundAsync("PH2007", Reading(read));

    private static string Reading(string read) => $$"""
        public async Task<byte> ReadAsync(Stream source)
        {
            var buffer = arrays.Rent(10);
            try
            {
                {{read}}
                await Task.Yield();
                return buffer[0];
            }
            finally
            {
                arrays.Return(buffer);
            }
        }
        """;
}
