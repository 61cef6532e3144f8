using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.Cookbook;

internal static class Objects
{
    public static void MoveFromObjectPool()
    {
        // snippet: recipe-object-pool
        // was: var provider = new DefaultObjectPoolProvider();
        var provider = new TieredObjectPoolProvider();
        ObjectPool<StringBuilder> builders = provider.CreateStringBuilderPool();
        // end snippet

        var text = builders.Get();
        Console.WriteLine(text.Append("The same code, another provider."));
        builders.Return(text);
    }
}
