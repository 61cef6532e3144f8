namespace Poolhouse.Analyzers.Tests.Fixes;

public sealed class AddUsingFix
{
    [Fact]
    public Task A_lease_gets_a_using() => Fixing.ExpectAsync(
        "PH1001",
        """
            public string Name()
            {
                // The lease of a session.
                var lease = sessions.Rent();
                return lease.Value.Name;
            }
        """,
        """
            public string Name()
            {
                // The lease of a session.
                using var lease = sessions.Rent();
                return lease.Value.Name;
            }
        """);

    [Fact]
    public Task A_lease_in_an_asynchronous_method_gets_an_await_using() => Fixing.ExpectAsync(
        "PH1001",
        """
            public async Task<string> NameAsync()
            {
                var lease = await sessions.RentAsync();
                return lease.Value.Name;
            }
        """,
        """
            public async Task<string> NameAsync()
            {
                await using var lease = await sessions.RentAsync();
                return lease.Value.Name;
            }
        """);

    [Fact]
    public Task A_memory_owner_gets_a_using() => Fixing.ExpectAsync(
        "PH2010",
        """
            public async Task<int> ReadAsync(Stream source)
            {
                var owner = memory.Rent(16);
                return await source.ReadAsync(owner.Memory);
            }
        """,
        """
            public async Task<int> ReadAsync(Stream source)
            {
                using var owner = memory.Rent(16);
                return await source.ReadAsync(owner.Memory);
            }
        """);

    [Fact]
    public Task A_pooled_stream_gets_a_using() => Fixing.ExpectAsync(
        "PH3002",
        """
            public long Length()
            {
                var stream = streams.Rent();
                stream.WriteByte(1);
                return stream.Length;
            }
        """,
        """
            public long Length()
            {
                using var stream = streams.Rent();
                stream.WriteByte(1);
                return stream.Length;
            }
        """);

    [Fact]
    public Task A_use_after_the_disposal_is_not_changed() => Fixing.ExpectNoneAsync(
        "PH2010",
        """
            public byte First()
            {
                var owner = memory.Rent(16);
                owner.Dispose();
                return owner.Memory.Span[0];
            }
        """);

    [Fact]
    public Task A_value_of_a_dropped_lease_gets_no_using() => Fixing.ExpectNoneAsync(
        "PH1001",
        """
            public void Use()
            {
                var session = sessions.Rent().Value;
                session.Use();
            }
        """);

    [Fact]
    public Task A_lease_in_a_switch_section_gets_no_using() => Fixing.ExpectNoneAsync(
        "PH1001",
        """
            public void Use(int kind)
            {
                switch (kind)
                {
                    case 1:
                        var lease = sessions.Rent();
                        lease.Value.Use();
                        break;
                }
            }
        """);

    [Fact]
    public Task A_lease_of_a_configured_await_gets_an_await_using() => Fixing.ExpectAsync(
        "PH1001",
        """
            public async Task UseAsync()
            {
                var lease = (await sessions.RentAsync().ConfigureAwait(false));
                lease.Value.Use();
            }
        """,
        """
            public async Task UseAsync()
            {
                await using var lease = (await sessions.RentAsync().ConfigureAwait(false));
                lease.Value.Use();
            }
        """);

    [Fact]
    public Task A_lease_in_the_lock_of_an_asynchronous_method_gets_a_using() => Fixing.ExpectAsync(
        "PH1001",
        """
            public async Task UseAsync()
            {
                await Task.Yield();
                lock (sessions)
                {
                    var lease = sessions.Rent();
                    lease.Value.Use();
                }
            }
        """,
        """
            public async Task UseAsync()
            {
                await Task.Yield();
                lock (sessions)
                {
                    using var lease = sessions.Rent();
                    lease.Value.Use();
                }
            }
        """);

    [Theory]
    [InlineData("lease = sessions.Rent();")]
    [InlineData("(lease, field) = (sessions.Rent(), null);")]
    public Task A_variable_that_is_assigned_again_gets_no_using(string assignment) => Fixing.ExpectNoneAsync(
        "PH1001",
        $$"""
            public void Use()
            {
                var lease = sessions.Rent();
                lease.Value.Use();
                {{assignment}}
                lease.Value.Use();
            }
        """);

    [Theory]
    [InlineData("PH1001", "Session M() { var lease = sessions.Rent(); return lease.Value; }")]
    [InlineData("PH1001", "void M(List<Session> all) { var lease = sessions.Rent(); all.Add(lease.Value); }")]
    [InlineData("PH1001", "void M() { var lease = sessions.Rent(); field = lease.Value; }")]
    [InlineData("PH1001", "Session M() { Session item; var lease = sessions.Rent(); return item = lease.Value; }")]
    [InlineData("PH1001", "Action M() { var lease = sessions.Rent(); var item = lease.Value; return () => item.Use(); }")]
    [InlineData("PH1001", "Task<int> M() { var lease = sessions.Rent(); return lease.Value.CountAsync(); }")]
    [InlineData("PH1001", "byte[] M() { var lease = buffers.RentExact(16); return lease.Segment.Array!; }")]
    [InlineData("PH2010", "Memory<byte> M() { var owner = memory.Rent(16); return owner.Memory; }")]
    [InlineData("PH3002", "ReadOnlySequence<byte> M() { var stream = streams.Rent(); return stream.WrittenSequence; }")]
    public Task An_item_that_leaves_the_method_gets_no_using(string id, string source) => Fixing.ExpectNoneAsync(id, source);

    [Fact]
    public Task A_lease_in_a_loop_over_a_span_gets_a_using() => Fixing.ExpectAsync(
        "PH1001",
        """
            public async Task UseAsync(byte[] data)
            {
                await Task.Yield();
                foreach (var value in data.AsSpan())
                {
                    var lease = sessions.Rent();
                    lease.Value.Name = value.ToString();
                }
            }
        """,
        """
            public async Task UseAsync(byte[] data)
            {
                await Task.Yield();
                foreach (var value in data.AsSpan())
                {
                    using var lease = sessions.Rent();
                    lease.Value.Name = value.ToString();
                }
            }
        """);
}
