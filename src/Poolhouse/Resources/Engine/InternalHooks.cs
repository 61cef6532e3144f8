namespace Poolhouse.Resources.Engine;

/// <summary>Hooks that only policies of this assembly have, because they are called under the pool's lock.</summary>
internal static class InternalHooks
{
    /// <summary>Items can become unusable by an event elsewhere, such as the loss of the object they depend on.</summary>
    public const ResourceHooks IsBrokenByParent = (ResourceHooks)256;
}
