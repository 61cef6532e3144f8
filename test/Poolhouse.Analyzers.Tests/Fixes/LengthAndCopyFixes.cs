namespace Poolhouse.Analyzers.Tests.Fixes;

public sealed class LengthAndCopyFixes
{
    [Fact]
    public Task The_length_becomes_the_requested_one() => Fixing.ExpectAsync(
        "PH2007",
        """
            public int Sum(int count)
            {
                var array = arrays.Rent(count);
                var sum = 0;
                for (var i = 0; i < array.Length; i++)
                {
                    sum += array[i];
                }

                arrays.Return(array);
                return sum;
            }
        """,
        """
            public int Sum(int count)
            {
                var array = arrays.Rent(count);
                var sum = 0;
                for (var i = 0; i < count; i++)
                {
                    sum += array[i];
                }

                arrays.Return(array);
                return sum;
            }
        """);

    [Fact]
    public Task An_argument_becomes_a_span_of_the_requested_length() => Fixing.ExpectAsync(
        "PH2007",
        """
            public void Write(Stream target, string text)
            {
                var array = arrays.Rent(text.Length);
                Encoding.ASCII.GetBytes(text, array);
                target.Write(array);
                arrays.Return(array);
            }
        """,
        """
            public void Write(Stream target, string text)
            {
                var array = arrays.Rent(text.Length);
                Encoding.ASCII.GetBytes(text, array);
                target.Write(array.AsSpan(0, text.Length));
                arrays.Return(array);
            }
        """);

    [Fact]
    public Task A_copied_stream_is_written_to_its_target() => Fixing.ExpectAsync(
        "PH3001",
        """
            public void Send(PooledStream stream, Stream target)
            {
                target.Write(stream.ToArray());
            }
        """,
        """
            public void Send(PooledStream stream, Stream target)
            {
                stream.WriteTo(target);
            }
        """);

    [Fact]
    public Task A_copied_stream_is_decoded_in_place() => Fixing.ExpectAsync(
        "PH3001",
        """
            public string Decode(PooledStream stream)
            {
                return Encoding.UTF8.GetString(stream.ToArray());
            }
        """,
        """
            public string Decode(PooledStream stream)
            {
                return Encoding.UTF8.GetString(stream.WrittenSequence);
            }
        """);

    [Fact]
    public Task A_part_of_a_copied_stream_is_not_written_as_a_whole() => Fixing.ExpectNoneAsync(
        "PH3001",
        """
            public void Send(PooledStream stream, Stream target)
            {
                target.Write(stream.ToArray(), 4, 8);
            }
        """);

    [Theory]
    [InlineData("messages.Add(stream.ToArray())")]
    [InlineData("Keep(stream.ToArray())")]
    [InlineData("Keep(item: stream.ToArray())")]
    public Task A_copy_that_may_be_kept_is_not_replaced(string call) => Fixing.ExpectNoneAsync(
        "PH3001",
        $$"""
            private static T Keep<T>(T item) => item;

            public void Send(PooledStream stream, List<object> messages)
            {
                {{call}};
            }
        """);

    [Theory]
    [InlineData("JsonDocument M(PooledStream stream) => JsonDocument.Parse(stream.ToArray());")]
    [InlineData("Task M(PooledStream stream) => Send(stream.ToArray());")]
    [InlineData("void M(PooledStream stream, Outbox outbox) => outbox.Post(stream.ToArray());")]
    [InlineData("bool M(PooledStream stream) => TryParse(stream.ToArray(), out var document) && document != null;")]
    public Task A_copy_that_may_outlive_the_stream_is_not_replaced(string method) => Fixing.ExpectNoneAsync(
        "PH3001",
        $$"""
            using System.Text.Json;

            internal abstract class Tested
            {
                public {{method}}

                private static Task Send(byte[] message) => Task.CompletedTask;
                private static Task Send(ReadOnlySequence<byte> message) => Task.CompletedTask;

                private static bool TryParse(byte[] text, out object document) => (document = text) != null;
                private static bool TryParse(ReadOnlySequence<byte> text, out object document) => (document = text) != null;

                internal abstract class Outbox
                {
                    public abstract void Post(byte[] message);
                    public abstract void Post(ReadOnlySequence<byte> message);
                }
            }
        """);
}
