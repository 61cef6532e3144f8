using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>Local functions and lambdas have graphs of their own: the regions around their declaration are not theirs.</summary>
public sealed class NestedFunctions
{
    [Fact]
    public Task A_local_function_that_throws_inside_a_finally_block_of_its_container_is_analyzed() => Expect.FoundAsync(
        "PH2001",
        """
            public void Run(Stream source)
            {
                try
                {
                    source.Flush();
                    Clear(source);

                    static void Clear(Stream target)
                    {
                        var array = ArrayPool<byte>.Shared.Rent(16);
                        target.Write(array, 0, 16);
                        ArrayPool<byte>.Shared.Return(array);
                        [|ArrayPool<byte>.Shared.Return(array)|];
                    }
                }
                finally
                {
                    source.Dispose();
                }
            }
        """);

    [Fact]
    public Task A_lambda_in_a_catch_block_does_not_belong_to_its_try_block() => Expect.FoundAsync(
        "PH2001",
        """
            public Action Run(Stream source)
            {
                try
                {
                    source.Flush();
                }
                catch (IOException)
                {
                    return () =>
                    {
                        var array = ArrayPool<byte>.Shared.Rent(16);
                        ArrayPool<byte>.Shared.Return(array);
                        [|ArrayPool<byte>.Shared.Return(array)|];
                    };
                }

                return () => { };
            }
        """);

    /// <summary>The finally block has a number that the graph of the lambda does not have.</summary>
    [Fact]
    public Task A_lambda_that_throws_in_a_try_block_far_down_in_its_container_is_analyzed() => Expect.FoundAsync(
        "PH2001",
        """
            public void Run(Stream source, int n)
            {
                if (n > 1) { source.Flush(); }
                if (n > 2) { source.Flush(); }
                if (n > 3) { source.Flush(); }
                if (n > 4) { source.Flush(); }
                try
                {
                    Action act = () =>
                    {
                        var array = ArrayPool<byte>.Shared.Rent(16);
                        source.Write(array, 0, 16);
                        ArrayPool<byte>.Shared.Return(array);
                        [|ArrayPool<byte>.Shared.Return(array)|];
                    };
                    act();
                }
                finally
                {
                    source.Dispose();
                }
            }
        """);
}
