using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Regressions;

/// <summary>Correct code in which a rule once found something.</summary>
public sealed class CorrectCode
{
    [Fact]
    public Task A_nullable_lease_is_disposed_in_a_finally_block() => Expect.NothingAsync(
        """
            public void Use()
            {
                Lease<Session>? lease = null;
                try
                {
                    lease = sessions.Rent();
                    lease.Value.Value.Use();
                }
                finally
                {
                    lease?.Dispose();
                }
            }
        """);

    [Fact]
    public Task The_memory_of_a_detached_lease_is_kept() => Expect.NothingAsync(
        """
            public Memory<byte> Take()
            {
                var lease = buffers.RentExact(10);
                var taken = lease.Memory;
                lease.Detach();
                return taken;
            }
        """);

    [Theory]
    [InlineData("throw new FormatException();")]
    [InlineData("throw new FormatException(\"none\", new IOException());")]
    public Task An_array_is_returned_before_an_exception_that_the_handler_cannot_catch(string leaves) => Expect.NothingAsync(
        $$"""
            public int Read(Stream stream)
            {
                var array = arrays.Rent(10);
                int count;
                try
                {
                    count = stream.Read(array, 0, 10);
                    if (count == 0)
                    {
                        arrays.Return(array);
                        {{leaves}}
                    }
                }
                catch (IOException)
                {
                    arrays.Return(array);
                    return -1;
                }

                arrays.Return(array);
                return count;
            }
        """);

    [Theory]
    [InlineData("using var lease = await rent.AsTask().WaitAsync(TimeSpan.FromSeconds(1));")]
    [InlineData("var task = rent.AsTask(); using var lease = await task;")]
    [InlineData("var configured = rent.ConfigureAwait(false); using var lease = await configured;")]
    public Task A_rent_is_awaited_as_a_task(string wait) => Expect.NothingAsync(
        $$"""
            public async Task UseAsync()
            {
                var rent = sessions.RentAsync();
                {{wait}}
                lease.Value.Use();
            }
        """);

    [Fact]
    public Task A_rent_is_returned_as_a_task() => Expect.NothingAsync(
        """
            public Task<Lease<Session>> RentAsync()
            {
                var rent = sessions.RentAsync();
                return rent.AsTask();
            }
        """);

    [Fact]
    public Task A_task_of_a_lease_may_be_awaited_twice() => Expect.NothingAsync(
        """
            private static Task<Lease<Session>> RentAsync() => sessions.RentAsync().AsTask();

            public async Task UseAsync()
            {
                var rent = RentAsync();
                await rent;
                using var lease = await rent;
                lease.Value.Use();
            }
        """);

    [Fact]
    public Task A_stream_is_disposed_through_a_pattern_variable() => Expect.NothingAsync(
        """
            public void Use()
            {
                PooledStream? stream = null;
                try
                {
                    stream = streams.Rent();
                    stream.WriteByte(1);
                }
                finally
                {
                    if (stream is { } rented)
                    {
                        rented.Dispose();
                    }
                }
            }
        """);

    [Fact]
    public Task A_memory_owner_is_disposed_through_a_pattern_variable() => Expect.NothingAsync(
        """
            public void Use()
            {
                var owner = memory.Rent(16);
                owner.Memory.Span.Clear();
                if (owner is IDisposable disposable)
                {
                    disposable.Dispose();
                }
            }
        """);

    [Fact]
    public Task A_parameter_of_a_primary_constructor_is_a_field() => Expect.NothingAsync(
        """
        internal sealed class Holder(ResourcePool<object> pool, Lease<object> current) : IDisposable
        {
            public void Begin()
            {
                current = pool.Rent();
                Console.WriteLine(current.Value);
            }

            public void Dispose() => current.Dispose();
        }
        """);

    [Fact]
    public Task An_out_argument_is_another_array() => Expect.NothingAsync(
        """
            public void Empty(Queue<byte[]> queue)
            {
                var array = arrays.Rent(10);
                arrays.Return(array);
                while (queue.TryDequeue(out array))
                {
                    arrays.Return(array);
                }
            }
        """);

    [Fact]
    public Task An_out_argument_is_another_lease() => Expect.NothingAsync(
        """
            public void Use(Stack<Lease<Session>> idle)
            {
                var lease = sessions.Rent();
                lease.Value.Use();
                lease.Dispose();
                if (idle.TryPop(out lease))
                {
                    lease.Value.Use();
                    lease.Dispose();
                }
            }
        """);

    [Fact]
    public Task An_out_argument_of_a_constructor_is_another_array() => Expect.NothingAsync(
        """
        internal sealed class Source
        {
            public Source(out byte[] array) => array = ArrayPool<byte>.Shared.Rent(10);

            public static void Use()
            {
                var array = ArrayPool<byte>.Shared.Rent(10);
                ArrayPool<byte>.Shared.Return(array);
                Console.WriteLine(new Source(out array));
                array[0] = 1;
                ArrayPool<byte>.Shared.Return(array);
            }
        }
        """);

    [Fact]
    public Task A_deconstruction_assigns_another_array() => Expect.NothingAsync(
        """
            private static (byte[] Array, int Count) Next() => (arrays.Rent(10), 10);

            public void Use()
            {
                var array = arrays.Rent(10);
                arrays.Return(array);
                (array, var count) = Next();
                array[0] = (byte)count;
                arrays.Return(array);
            }
        """);

    [Theory]
    [InlineData("System.Security.Cryptography.SHA256.HashData(new byte[1], array);")]
    [InlineData("using var target = new MemoryStream(array); target.WriteByte(1);")]
    [InlineData("Console.WriteLine(array.Select(value => value + 1).Take(10).Sum());")]
    [InlineData("Console.WriteLine(array.Where(value => value > 0).Select(value => value + 1).Take(10).Sum());")]
    public Task The_whole_array_is_a_destination_or_is_read_in_part(string use) => Expect.NothingAsync(
        $$"""
            public void Use()
            {
                var array = arrays.Rent(10);
                {{use}}
                arrays.Return(array);
            }
        """);

    [Fact]
    public Task A_loop_sets_a_field_of_each_element() => Expect.NothingAsync(
        """
        internal struct Entry
        {
            public int Next;

            public static void Use()
            {
                var array = ArrayPool<Entry>.Shared.Rent(10);
                for (var i = 0; i < array.Length; i++)
                {
                    array[i].Next = -1;
                }

                ArrayPool<Entry>.Shared.Return(array);
            }
        }
        """);

    [Theory]
    [InlineData("array = array.AsSpan(0, 10).ToArray();")]
    [InlineData("Array.Resize(ref array, 10);")]
    [InlineData("(array, _) = (new byte[10], 1);")]
    public Task The_variable_holds_another_array_when_it_is_read(string assignment) => Expect.NothingAsync(
        $$"""
            public void Use(Stream target)
            {
                var array = arrays.Rent(10);
                var rented = array;
                {{assignment}}
                target.Write(array);
                arrays.Return(rented);
            }
        """);

    [Theory]
    [InlineData("void M() { Lease<Session> lease; using (lease = sessions.Rent()) { lease.Value.Use(); } }")]
    [InlineData("void M() { Lease<Session> lease; field = lease = sessions.Rent(); lease.Value.Use(); }")]
    [InlineData("Lease<Session> M() { Lease<Session> lease; return lease = sessions.Rent(); }")]
    [InlineData("void M() { Lease<Session> lease; Consume(lease = sessions.Rent()); lease.Value.Use(); }")]
    [InlineData("void M() { Lease<Session> copy; var lease = sessions.Rent(); Consume(copy = lease); lease.Value.Use(); }")]
    [InlineData("void M() { Lease<Session> one, two; one = two = sessions.Rent(); two.Value.Use(); one.Dispose(); }")]
    [InlineData("void M() { IMemoryOwner<byte> owner; using (owner = memory.Rent(16)) { owner.Memory.Span.Clear(); } }")]
    [InlineData("void M() { PooledStream stream; using (stream = streams.Rent()) { stream.WriteByte(1); } }")]
    public Task A_rent_is_assigned_inside_an_expression(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData(
        "void M(PooledStream? stream) { if (stream is null) { stream = streams.Rent(); stream.WriteByte(1); stream.Dispose(); " +
        "return; } stream.WriteByte(2); }")]
    [InlineData(
        "void M(IMemoryOwner<byte>? owner) { if (owner == null) { owner = memory.Rent(16); owner.Memory.Span.Clear(); " +
        "owner.Dispose(); return; } owner.Memory.Span.Clear(); }")]
    [InlineData(
        "void M(byte[]? array) { if (array is null) { array = arrays.Rent(16); array[0] = 1; arrays.Return(array); } }")]
    public Task A_parameter_is_rented_into_if_it_is_null(string source) => Expect.FoundAsync("PH2005", source);

    [Theory]
    [InlineData(
        "void M() { var lease = sessions.Rent(); var taken = lease; lease = default; if (taken.IsActive) { taken.Dispose(); } " +
        "Consume(lease.IsActive); }")]
    [InlineData(
        "void M() { var lease = sessions.Rent(); var taken = lease; lease = default; taken.Value.Use(); taken.Dispose(); }")]
    [InlineData(
        "void M() { PooledStream? stream = streams.Rent(); var full = stream; stream = null; if (full != null) { " +
        "full.Dispose(); } Console.WriteLine(stream is null); }")]
    public Task A_variable_is_reset_after_its_item_was_copied(string source) => Expect.FoundAsync("PH1008", source);
}
