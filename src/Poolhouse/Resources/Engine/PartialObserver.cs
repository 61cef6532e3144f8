namespace Poolhouse.Resources.Engine;

/// <summary>Forwards only the item events or only the caller events of a pool that is composed of two pools.</summary>
internal sealed class PartialObserver(ResourcePoolObserver observer, bool ofItems) : ResourcePoolObserver
{
    public static ResourcePoolObserver? OfItems(ResourcePoolObserver? observer) =>
        observer is null ? null : new PartialObserver(observer, ofItems: true);

    public static ResourcePoolObserver? OfCallers(ResourcePoolObserver? observer) =>
        observer is null ? null : new PartialObserver(observer, ofItems: false);

    public override void OnCreated(in ItemCreatedArgs created)
    {
        if (ofItems)
        {
            observer.OnCreated(in created);
        }
    }

    public override void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
        if (ofItems)
        {
            observer.OnCreateFailed(in failed);
        }
    }

    public override void OnDestroyed(in ItemDestroyedArgs destroyed)
    {
        if (ofItems)
        {
            observer.OnDestroyed(in destroyed);
        }
    }

    public override void OnWaitEnded(in WaitEndedArgs ended)
    {
        if (!ofItems)
        {
            observer.OnWaitEnded(in ended);
        }
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        if (!ofItems)
        {
            observer.OnLeakSuspected(in suspected);
        }
    }
}
