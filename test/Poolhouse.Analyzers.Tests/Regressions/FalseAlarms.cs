using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Regressions;

/// <summary>Correct code of other projects, in its shape, in which a rule once found something.</summary>
public sealed class FalseAlarms
{
    [Fact]
    public Task The_shared_pool_does_not_throw_in_a_finally_block() => Expect.NothingAsync(
        """
            public int Read(Stream source, int count)
            {
                var array = ArrayPool<byte>.Shared.Rent(count);
                try
                {
                    return source.Read(array, 0, count);
                }
                finally
                {
                    ArrayPool<byte>.Shared.Return(array);
                }
            }
        """);

    [Fact]
    public Task An_array_that_is_rented_for_some_inputs_is_returned_in_a_finally_block() => Expect.NothingAsync(
        """
            public int Run(ReadOnlySequence<byte> input, Func<byte[]?, int> transform)
            {
                byte[]? rented = null;
                if (!input.IsSingleSegment)
                {
                    rented = ArrayPool<byte>.Shared.Rent((int)input.Length);
                    input.CopyTo(rented);
                }

                try
                {
                    return transform(rented);
                }
                finally
                {
                    if (rented != null)
                    {
                        ArrayPool<byte>.Shared.Return(rented);
                    }
                }
            }
        """);

    [Fact]
    public Task An_array_that_grows_is_returned_in_a_finally_block() => Expect.NothingAsync(
        """
            public async Task<int> ReadAsync(Stream source)
            {
                var buffer = ArrayPool<byte>.Shared.Rent(1024);
                try
                {
                    var length = 0;
                    int read;
                    do
                    {
                        read = await source.ReadAsync(buffer.AsMemory(length));
                        length += read;
                        if (length == buffer.Length)
                        {
                            var larger = ArrayPool<byte>.Shared.Rent(length + 1024);
                            Array.Copy(buffer, 0, larger, 0, length);
                            ArrayPool<byte>.Shared.Return(buffer);
                            buffer = larger;
                        }
                    }
                    while (read > 0);

                    return length;
                }
                finally
                {
                    ArrayPool<byte>.Shared.Return(buffer);
                }
            }
        """);

    [Fact]
    public Task An_empty_array_stands_for_no_rent() => Expect.NothingAsync(
        """
            public int Parse(ReadOnlySpan<byte> bytes, Func<char[], int> parse)
            {
                char[] rented = [];
                try
                {
                    Span<char> characters = bytes.Length <= 128 ? stackalloc char[128] : (rented = ArrayPool<char>.Shared.Rent(bytes.Length));
                    var count = Encoding.UTF8.GetChars(bytes, characters);
                    return count + parse([]);
                }
                finally
                {
                    ArrayPool<char>.Shared.Return(rented);
                }
            }
        """);
}
